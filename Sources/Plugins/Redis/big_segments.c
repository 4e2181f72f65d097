/* LaunchDarkly's big segments, which its relay writes: for each context the segments that include it, and those that exclude it. */
#include "launchdarkly.h"
#include "words.h"
#include <hoist/plugins/redis.h>
#include <stdlib.h>

/* As in rules.c. */
#pragma weak hoist_launchdarkly_membership_sink_add

/* One command about one key. */
static redisReply *ask(turn *turn, const char *command, const char *key) {
  words words = words_of(command, key, NULL);
  redisReply *answer = words_ask(turn, &words);
  words_free(&words);
  return answer;
}

static hoist_status metadata(void *user_data, int64_t *up_to_date_ms) {
  vendor_store *own = user_data;
  char key[KEY_BYTES];
  vendor_store_key(own, key, "big_segments_synchronized_on", "");
  turn turn;
  if (!connection_begin(&own->connection, &turn)) return turn.why.status;
  redisReply *answer = ask(&turn, "GET", key);
  bool is_there = answer && answer->type == REDIS_REPLY_STRING;
  char *end = NULL;
  if (is_there) *up_to_date_ms = strtoll(answer->str, &end, 10);
  bool is_number = is_there && answer->len > 0 && *end == 0;
  if (is_there && !is_number) failure_say(&turn.why, HOIST_ERR_IO, GO_ON, "%s is no number of milliseconds", key);
  hoist_status status = connection_end(&turn, answer_free(answer) && (is_number || !is_there));
  return status == HOIST_OK && !is_there ? HOIST_ERR_NOT_FOUND : status;
}

static hoist_status hand_out(const redisReply *references, bool is_included, hoist_launchdarkly_membership_sink *sink) {
  hoist_status status = HOIST_OK;
  for (size_t i = 0; i < references->elements && status == HOIST_OK; i++)
    status = hoist_launchdarkly_membership_sink_add(sink, references->element[i]->str, is_included);
  return status;
}

static hoist_status memberships(void *user_data, const char *hash, hoist_launchdarkly_membership_sink *sink) {
  vendor_store *own = user_data;
  char include[KEY_BYTES], exclude[KEY_BYTES];
  vendor_store_key(own, include, "big_segment_include:", hash);
  vendor_store_key(own, exclude, "big_segment_exclude:", hash);
  turn turn;
  if (!connection_begin(&own->connection, &turn)) return turn.why.status;
  redisReply *excluding = ask(&turn, "SMEMBERS", exclude), *including = excluding ? ask(&turn, "SMEMBERS", include) : NULL;
  hoist_status status = HOIST_OK;
  if (including) {
    /* Including goes before excluding: the later one counts. */
    status = hand_out(excluding, false, sink);
    if (status == HOIST_OK) status = hand_out(including, true, sink);
    if (status == HOIST_OK && including->elements + excluding->elements == 0) status = HOIST_ERR_NOT_FOUND;
  }
  answer_free(excluding);
  bool is_good = answer_free(including);
  hoist_status of_call = connection_end(&turn, is_good);
  return is_good ? status : of_call;
}

hoist_status big_segments_make(const char *options, hoist_launchdarkly_big_segments *table, char *message, size_t message_size) {
  if (!hoist_launchdarkly_membership_sink_add) return HOIST_ERR_UNSUPPORTED;
  vendor_store *own;
  hoist_status status = vendor_store_make(&own, options, HOIST_REDIS_LAUNCHDARKLY_BIG_SEGMENTS, message, message_size);
  if (status == HOIST_OK)
    *table = (hoist_launchdarkly_big_segments){sizeof *table, own, metadata, memberships, vendor_store_release};
  return status;
}
