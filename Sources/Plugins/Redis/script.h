/* The scripts (Scripts/) that change what is kept, each in one step, and how they are called. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "words.h"

typedef struct script {
  const char *text, *sha1;
} script;

/* Made by the build from Scripts. */
extern const script script_save, script_replace, script_append, script_lead, script_save_led, script_put, script_claim,
    script_remove, script_purge, script_renew, script_give_back;

/* The beginning of a call: what EVALSHA needs, for keys that the caller adds next. */
words script_words(const script *called, const char *number_of_keys);
/* Calls the script, whole where the server does not know it, and frees the words. As connection_ask(). All scripts may be repeated. */
redisReply *script_call(turn *turn, const script *called, words *taken);

#endif
