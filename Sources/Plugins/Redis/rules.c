/* LaunchDarkly's rules: flags in one hash, segments in another, each as its JSON, and a key that says that there is a whole set. */
#include "launchdarkly.h"
#include "words.h"
#include <hoist/plugins/redis.h>
#include <jansson.h>
#include <string.h>

/* A library of before these stores has no such call, and still takes the cache manager. */
#pragma weak hoist_launchdarkly_item_sink_add

enum { MOST_ATTEMPTS = 10 };

/* Frees the words. */
static bool is_done(turn *turn, words words) {
  bool is_good = answer_free(words_ask(turn, &words));
  words_free(&words);
  return is_good;
}

typedef enum outcome { DONE, OTHERS_WERE_FASTER, FAILED } outcome;

static outcome execute(turn *turn) {
  redisReply *answer = connection_ask(turn, 1, (const char *[]){"EXEC"}, (size_t[]){4});
  if (!answer) return FAILED;
  outcome outcome = answer->type == REDIS_REPLY_NIL ? OTHERS_WERE_FASTER : DONE;
  for (size_t i = 0; answer->type == REDIS_REPLY_ARRAY && i < answer->elements; i++) {
    if (answer->element[i]->type != REDIS_REPLY_ERROR) continue;
    failure_read(&turn->why, answer->element[i]->str);
    outcome = FAILED;
  }
  freeReplyObject(answer);
  return outcome;
}

static void name_hash(const vendor_store *own, char *place, hoist_launchdarkly_item_kind kind) {
  vendor_store_key(own, place, kind == HOIST_LAUNCHDARKLY_SEGMENT ? "segments" : "features", "");
}

/* All items of a kind, in place of others. */
static bool put_all(turn *turn, const char *hash, const hoist_launchdarkly_item *items, size_t count,
                    hoist_launchdarkly_item_kind kind) {
  if (!is_done(turn, words_of("DEL", hash, NULL))) return false;
  words words = words_of("HSET", hash, NULL);
  size_t empty = words.count;
  for (size_t i = 0; i < count; i++) {
    const hoist_launchdarkly_item *item = HOIST_AT(hoist_launchdarkly_item, items, i);
    if (item->kind != kind) continue;
    words_text(&words, item->key);
    words_bytes(&words, item->json, item->json_size);
  }
  if (words.count > empty || words.is_broken) return is_done(turn, words);
  words_free(&words);
  return true;
}

static hoist_status init(void *user_data, const hoist_launchdarkly_item *items, size_t count) {
  vendor_store *own = user_data;
  char features[KEY_BYTES], segments[KEY_BYTES], inited[KEY_BYTES];
  name_hash(own, features, HOIST_LAUNCHDARKLY_FLAG);
  name_hash(own, segments, HOIST_LAUNCHDARKLY_SEGMENT);
  vendor_store_key(own, inited, "$inited", "");
  turn turn;
  if (!connection_begin(&own->connection, &turn)) return turn.why.status;
  turn.writes = true;
  bool is_good = is_done(&turn, words_of("MULTI", NULL)) && put_all(&turn, segments, items, count, HOIST_LAUNCHDARKLY_SEGMENT) &&
                 put_all(&turn, features, items, count, HOIST_LAUNCHDARKLY_FLAG) &&
                 is_done(&turn, words_of("SET", inited, inited, NULL)) && execute(&turn) == DONE;
  if (!is_good) connection_give_up(&turn);
  return connection_end(&turn, is_good);
}

static hoist_status all(void *user_data, hoist_launchdarkly_item_kind kind, hoist_launchdarkly_item_sink *sink) {
  vendor_store *own = user_data;
  char hash[KEY_BYTES];
  name_hash(own, hash, kind);
  turn turn;
  if (!connection_begin(&own->connection, &turn)) return turn.why.status;
  words words = words_of("HGETALL", hash, NULL);
  redisReply *answer = words_ask(&turn, &words);
  words_free(&words);
  hoist_status status = HOIST_OK;
  for (size_t i = 0; answer && i + 1 < answer->elements && status == HOIST_OK; i += 2)
    status = hoist_launchdarkly_item_sink_add(sink, answer->element[i]->str, answer->element[i + 1]->str, answer->element[i + 1]->len);
  bool is_good = answer_free(answer);
  hoist_status of_call = connection_end(&turn, is_good);
  return is_good ? status : of_call;
}

/* What cannot be read is older than anything. */
static bool is_as_new(const redisReply *kept, int64_t version) {
  json_t *item = json_loadb(kept->str, kept->len, 0, NULL), *found = json_object_get(item, "version");
  bool is_new = json_is_number(found) && json_number_value(found) >= (double)version;
  json_decref(item);
  return is_new;
}

static outcome put_watched(turn *turn, const char *hash, const hoist_launchdarkly_item *item) {
  turn->writes = true;
  words words = words_of("HSET", hash, item->key, NULL);
  words_bytes(&words, item->json, item->json_size);
  if (!is_done(turn, words_of("MULTI", NULL))) {
    words_free(&words);
    return FAILED;
  }
  return is_done(turn, words) ? execute(turn) : FAILED;
}

static outcome try_upsert(turn *turn, const char *hash, const hoist_launchdarkly_item *item, hoist_launchdarkly_item_sink *sink,
                          hoist_status *status) {
  if (!is_done(turn, words_of("WATCH", hash, NULL))) return FAILED;
  words words = words_of("HGET", hash, item->key, NULL);
  redisReply *kept = words_ask(turn, &words);
  words_free(&words);
  if (!kept) return FAILED;
  if (kept->type == REDIS_REPLY_STRING && is_as_new(kept, item->version)) {
    *status = hoist_launchdarkly_item_sink_add(sink, item->key, kept->str, kept->len);
    if (*status == HOIST_OK) *status = HOIST_ERR_STATE;
    freeReplyObject(kept);
    return is_done(turn, words_of("UNWATCH", NULL)) ? DONE : FAILED;
  }
  freeReplyObject(kept);
  return put_watched(turn, hash, item);
}

static hoist_status upsert(void *user_data, const hoist_launchdarkly_item *item, hoist_launchdarkly_item_sink *sink) {
  vendor_store *own = user_data;
  char hash[KEY_BYTES];
  name_hash(own, hash, item->kind);
  turn turn;
  if (!connection_begin(&own->connection, &turn)) return turn.why.status;
  hoist_status status = HOIST_OK;
  outcome outcome = OTHERS_WERE_FASTER;
  for (int attempt = 0; attempt < MOST_ATTEMPTS && outcome == OTHERS_WERE_FASTER; attempt++)
    outcome = try_upsert(&turn, hash, item, sink, &status);
  if (outcome == OTHERS_WERE_FASTER)
    failure_say(&turn.why, HOIST_ERR_NETWORK, GO_ON, "others change the rules all the time");
  if (outcome == FAILED) connection_give_up(&turn);
  hoist_status of_call = connection_end(&turn, outcome == DONE);
  return outcome == DONE ? status : of_call;
}

static hoist_status initialized(void *user_data, bool *is_initialized) {
  vendor_store *own = user_data;
  char inited[KEY_BYTES];
  vendor_store_key(own, inited, "$inited", "");
  turn turn;
  if (!connection_begin(&own->connection, &turn)) return turn.why.status;
  words words = words_of("EXISTS", inited, NULL);
  redisReply *answer = words_ask(&turn, &words);
  words_free(&words);
  *is_initialized = answer && answer->type == REDIS_REPLY_INTEGER && answer->integer == 1;
  return connection_end(&turn, answer_free(answer));
}

hoist_status rules_make(const char *options, hoist_launchdarkly_store *table, char *message, size_t message_size) {
  if (!hoist_launchdarkly_item_sink_add) return HOIST_ERR_UNSUPPORTED;
  vendor_store *own;
  hoist_status status = vendor_store_make(&own, options, HOIST_REDIS_LAUNCHDARKLY_STORE, message, message_size);
  if (status == HOIST_OK)
    *table = (hoist_launchdarkly_store){sizeof *table, own, init, all, upsert, initialized, vendor_store_release};
  return status;
}
