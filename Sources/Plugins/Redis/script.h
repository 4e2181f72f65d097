/* The scripts (Scripts/) that change what is kept, each in one step, and how they are called. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "connection.h"

typedef struct script {
  const char *text, *sha1;
} script;

/* Made by the build from Scripts. */
extern const script script_save, script_replace, script_append, script_put, script_claim, script_remove, script_purge,
    script_renew;

/* The words of a call, which grow. */
typedef struct words {
  const char **texts;
  size_t *sizes;
  size_t count, room;
  bool is_broken; /* for lack of memory */
} words;

enum { NUMBER_BYTES = 24 };

/* Begins with what EVALSHA needs, for keys that the caller adds next. Texts and bytes are borrowed. */
words words_for(const script *called, const char *number_of_keys);
void words_text(words *own, const char *text);
void words_bytes(words *own, const void *bytes, size_t size);
/* `place` has NUMBER_BYTES and is borrowed, too. */
void words_number(words *own, char *place, int64_t number);

/* Calls the script, whole where the server does not know it, and frees the words. As connection_ask(). All scripts may be repeated. */
redisReply *script_call(turn *turn, const script *called, words *taken);

#endif
