/* The words of a command, which grow. */
#ifndef WORDS_H
#define WORDS_H

#include "connection.h"

typedef struct words {
  const char **texts;
  size_t *sizes;
  size_t count, room;
  bool is_broken; /* for lack of memory */
} words;

enum { NUMBER_BYTES = 24 };

/* Texts and bytes are borrowed, until the words are asked or freed. */
void words_text(words *own, const char *text);
void words_bytes(words *own, const void *bytes, size_t size);
/* `place` has NUMBER_BYTES and is borrowed, too. */
void words_number(words *own, char *place, int64_t number);
/* Some texts, NULL behind the last. */
words words_of(const char *first, ...);
void words_free(words *own);

/* As connection_ask(). The words are still there. */
redisReply *words_ask(turn *turn, const words *own);

#endif
