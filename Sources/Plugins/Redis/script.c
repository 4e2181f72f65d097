#include "script.h"
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

words words_for(const script *called, const char *number_of_keys) {
  words own = {0};
  words_text(&own, "EVALSHA");
  words_text(&own, called->sha1);
  words_text(&own, number_of_keys);
  return own;
}

void words_text(words *own, const char *text) { add(own, text, strlen(text)); }

void words_bytes(words *own, const void *bytes, size_t size) { add(own, size ? bytes : "", size); }

void words_number(words *own, char *place, int64_t number) {
  snprintf(place, NUMBER_BYTES, "%lld", (long long)number);
  words_text(own, place);
}

redisReply *script_call(turn *turn, const script *called, words *taken) {
  redisReply *answer = NULL;
  if (taken->is_broken) {
    failure_say(&turn->why, HOIST_ERR_LIMIT, GO_ON, "out of memory");
  } else {
    answer = connection_ask(turn, true, (int)taken->count, taken->texts, taken->sizes);
    if (!answer && turn->why.rule == SEND_WHOLE) {
      taken->texts[0] = "EVAL";
      taken->sizes[0] = strlen("EVAL");
      taken->texts[1] = called->text;
      taken->sizes[1] = strlen(called->text);
      answer = connection_ask(turn, true, (int)taken->count, taken->texts, taken->sizes);
    }
  }
  free(taken->texts);
  free(taken->sizes);
  return answer;
}
