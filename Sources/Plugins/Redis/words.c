#include "words.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(words *own, const char *bytes, size_t size) {
  if (own->count == own->room) {
    size_t room = own->room ? 2 * own->room : 32;
    const char **texts = realloc(own->texts, room * sizeof *texts);
    if (texts) own->texts = texts;
    size_t *sizes = realloc(own->sizes, room * sizeof *sizes);
    if (sizes) own->sizes = sizes;
    own->is_broken = own->is_broken || !texts || !sizes;
    if (own->is_broken) return;
    own->room = room;
  }
  own->texts[own->count] = bytes;
  own->sizes[own->count++] = size;
}

void words_text(words *own, const char *text) { add(own, text, strlen(text)); }

void words_bytes(words *own, const void *bytes, size_t size) { add(own, size ? bytes : "", size); }

void words_number(words *own, char *place, int64_t number) {
  snprintf(place, NUMBER_BYTES, "%lld", (long long)number);
  words_text(own, place);
}

words words_of(const char *first, ...) {
  words own = {0};
  va_list more;
  va_start(more, first);
  for (const char *text = first; text; text = va_arg(more, const char *)) words_text(&own, text);
  va_end(more);
  return own;
}

void words_free(words *own) {
  free(own->texts);
  free(own->sizes);
  *own = (words){0};
}

redisReply *words_ask(turn *turn, const words *own) {
  if (!own->is_broken) return connection_ask(turn, (int)own->count, own->texts, own->sizes);
  failure_say(&turn->why, HOIST_ERR_LIMIT, GO_ON, "out of memory");
  return NULL;
}
