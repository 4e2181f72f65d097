/* Events on their way: claimed and removed by scripts. */
#include "cache.h"
#include "script.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls a script about events, and frees the words and the answer. */
static hoist_status call(cache *own, const script *script, words *words) {
  turn turn;
  if (!connection_begin(&own->connection, &turn)) {
    words_free(words);
    return turn.why.status;
  }
  bool is_good = answer_free(script_call(&turn, script, words));
  return connection_end(&turn, is_good);
}

/* What a claim has brought. False where that is no answer of the script. */
static bool hand_out(const redisReply *answer, const char *pipeline, hoist_event_sink *sink, bool *is_there_more) {
  if (answer->type != REDIS_REPLY_ARRAY || answer->elements % 4 != 1) return false;
  if (answer->element[0]->type != REDIS_REPLY_INTEGER) return false;
  *is_there_more = answer->elements == 1 && answer->element[0]->integer == 1;
  for (size_t i = 1; i < answer->elements; i++)
    if (answer->element[i]->type != REDIS_REPLY_STRING) return false;
  for (size_t i = 1; i + 3 < answer->elements; i += 4) {
    redisReply **told = answer->element + i;
    hoist_event_row row = {sizeof row, told[0]->str, pipeline, told[1]->str, strtoll(told[2]->str, NULL, 10), told[3]->str,
                           told[3]->len};
    if (hoist_event_sink_add(sink, &row) != HOIST_OK) return false;
  }
  return true;
}

static hoist_status claim_once(cache *own, const char *pipeline, size_t max_rows, size_t max_bytes, const char *owner,
                               int64_t lease_ms, hoist_event_sink *sink, bool *is_there_more) {
  turn turn;
  if (!connection_begin(&own->connection, &turn)) return turn.why.status;
  char lease[NUMBER_BYTES], rows[NUMBER_BYTES], bytes[NUMBER_BYTES], claim[80];
  cache_name_change(own, claim, sizeof claim);
  words words = script_words(&script_claim, "1");
  words_text(&words, own->tag);
  words_text(&words, owner);
  words_number(&words, lease, lease_ms);
  words_text(&words, pipeline);
  words_number(&words, rows, max_rows > INT32_MAX ? INT32_MAX : (int64_t)max_rows);
  words_number(&words, bytes, max_bytes > (size_t)1 << 52 ? INT64_C(1) << 52 : (int64_t)max_bytes);
  words_text(&words, claim);
  bool was_lost = strcmp(own->loser, owner) == 0;
  words_text(&words, was_lost ? own->lost_claim : "");
  redisReply *answer = script_call(&turn, &script_claim, &words);
  bool is_good = answer && hand_out(answer, pipeline, sink, is_there_more);
  turn.writes = is_good && answer->elements > 1;
  if (answer && !is_good) failure_say(&turn.why, HOIST_ERR_IO, GO_ON, "what is kept of events is damaged or another program's");
  /* Where the answer was lost, the rows may be ours without our knowing them: the next claim gives them back. */
  if (was_lost || !is_good) {
    snprintf(own->loser, sizeof own->loser, "%s", is_good ? "" : owner);
    strcpy(own->lost_claim, claim);
  }
  freeReplyObject(answer);
  return connection_end(&turn, is_good);
}

static hoist_status claim_events(void *user_data, const char *pipeline, size_t max_rows, size_t max_bytes,
                                 const char *owner, int64_t lease_ms, hoist_event_sink *sink) {
  bool is_there_more = true;
  hoist_status status = HOIST_OK;
  while (status == HOIST_OK && is_there_more && max_rows > 0)
    status = claim_once(user_data, pipeline, max_rows, max_bytes, owner, lease_ms, sink, &is_there_more);
  return status;
}

static hoist_status call_for_rows(cache *own, const script *script, const char *const *ids, size_t count, const char *owner) {
  words words = script_words(script, "1");
  words_text(&words, own->tag);
  words_text(&words, owner);
  for (size_t i = 0; i < count; i++) words_text(&words, ids[i]);
  return call(own, script, &words);
}

static hoist_status remove_events(void *user_data, const char *const *ids, size_t count, const char *owner) {
  return call_for_rows(user_data, &script_remove, ids, count, owner);
}

static hoist_status give_back_events(void *user_data, const char *const *ids, size_t count, const char *owner) {
  return call_for_rows(user_data, &script_give_back, ids, count, owner);
}

static hoist_status purge_events(void *user_data, const char *subject, const char *pipeline) {
  if (!subject[0]) return HOIST_OK; /* what speaks of no person */
  cache *own = user_data;
  words words = script_words(&script_purge, "1");
  words_text(&words, own->tag);
  words_text(&words, subject);
  words_text(&words, pipeline);
  return call(own, &script_purge, &words);
}

static hoist_status renew_lease(void *user_data, const char *owner, int64_t lease_ms) {
  cache *own = user_data;
  for (;;) {
    turn turn;
    if (!connection_begin(&own->connection, &turn)) return turn.why.status;
    turn.writes = true;
    char lease[NUMBER_BYTES];
    words words = script_words(&script_renew, "1");
    words_text(&words, own->tag);
    words_text(&words, owner);
    words_number(&words, lease, lease_ms > 0 ? lease_ms : 0);
    redisReply *answer = script_call(&turn, &script_renew, &words);
    bool is_there_more = answer && answer->type == REDIS_REPLY_INTEGER && answer->integer == 1;
    hoist_status status = connection_end(&turn, answer_free(answer));
    if (!is_there_more) return status;
  }
}

void cache_add_events(hoist_cache *table) {
  table->put_events = cache_put_events;
  table->claim_events = claim_events;
  table->remove_events = remove_events;
  table->purge_events = purge_events;
  table->renew_lease = renew_lease;
  table->give_back_events = give_back_events;
}
