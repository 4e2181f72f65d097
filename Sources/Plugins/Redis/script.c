#include "script.h"
#include <string.h>

words script_words(const script *called, const char *number_of_keys) {
  return words_of("EVALSHA", called->sha1, number_of_keys, NULL);
}

redisReply *script_call(turn *turn, const script *called, words *taken) {
  redisReply *answer = words_ask(turn, taken);
  if (!answer && turn->why.rule == SEND_WHOLE) {
    taken->texts[0] = "EVAL";
    taken->sizes[0] = strlen("EVAL");
    taken->texts[1] = called->text;
    taken->sizes[1] = strlen(called->text);
    answer = words_ask(turn, taken);
  }
  words_free(taken);
  return answer;
}
