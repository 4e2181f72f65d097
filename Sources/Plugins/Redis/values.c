/* Values by key: each a hash of its own, read by one command and changed by one script. */
#include "cache.h"
#include "script.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *name_of(const cache *own, const char *kind, const char *key) {
  size_t size = strlen(own->tag) + strlen(kind) + strlen(key) + 3;
  char *name = malloc(size);
  if (name) snprintf(name, size, "%s:%s:%s", own->tag, kind, key);
  return name;
}

/* One call about one value. */
typedef struct value_call {
  cache *own;
  turn turn;
  char *name;
  char *lead_name; /* of who leads it; NULL where that is of no concern */
  char change[80], ttl[NUMBER_BYTES];
} value_call;

static bool begin(value_call *call, void *user_data, const char *key) {
  call->own = user_data;
  call->name = name_of(call->own, "value", key);
  call->lead_name = NULL;
  if (call->name && connection_begin(&call->own->connection, &call->turn)) return true;
  if (!call->name) call->turn.why.status = HOIST_ERR_LIMIT;
  free(call->name);
  return false;
}

static hoist_status end(value_call *call, redisReply *answer, hoist_status status) {
  bool is_good = answer_free(answer);
  /* What another has changed meanwhile stays as it is. */
  if (is_good && status != HOIST_OK) call->turn.writes = false;
  free(call->name);
  free(call->lead_name);
  hoist_status of_call = connection_end(&call->turn, is_good);
  return is_good ? status : of_call;
}

static words call_of(value_call *call, const script *script) {
  words words = script_words(script, call->lead_name ? "3" : "2");
  words_text(&words, call->own->tag);
  words_text(&words, call->name);
  if (call->lead_name) words_text(&words, call->lead_name);
  return words;
}

static words change_of(value_call *call, const script *script, const char *key) {
  words words = call_of(call, script);
  call->turn.writes = true;
  cache_name_change(call->own, call->change, sizeof call->change);
  words_text(&words, call->change);
  bool is_person = strncmp(key, HOIST_CACHE_PERSON_PREFIX, strlen(HOIST_CACHE_PERSON_PREFIX)) == 0;
  words_number(&words, call->ttl, is_person ? call->own->connection.options.person_ttl_ms : 0);
  return words;
}

static redisReply *make_change(value_call *call, const script *script, words *words) {
  redisReply *answer = script_call(&call->turn, script, words);
  if (answer) call->own->connection.has_seen_marker = true;
  return answer;
}

static hoist_status load(void *user_data, const char *key, hoist_bytes_sink *sink) {
  value_call call;
  if (!begin(&call, user_data, key)) return call.turn.why.status;
  const char *words[] = {"HGET", call.name, "payload"};
  size_t sizes[] = {4, strlen(call.name), 7};
  redisReply *answer = connection_ask(&call.turn, 3, words, sizes);
  hoist_status status = HOIST_ERR_NOT_FOUND;
  if (answer && answer->type == REDIS_REPLY_STRING) status = hoist_bytes_sink_write(sink, answer->str, answer->len);
  return end(&call, answer, status);
}

static hoist_status save(void *user_data, const char *key, const void *value, size_t size) {
  value_call call;
  if (!begin(&call, user_data, key)) return call.turn.why.status;
  words words = change_of(&call, &script_save, key);
  words_bytes(&words, value, size);
  return end(&call, make_change(&call, &script_save, &words), HOIST_OK);
}

static hoist_status forget(void *user_data, const char *key) {
  value_call call;
  if (!begin(&call, user_data, key)) return call.turn.why.status;
  call.turn.writes = true;
  const char *words[] = {"DEL", call.name};
  size_t sizes[] = {3, strlen(call.name)};
  return end(&call, connection_ask(&call.turn, 2, words, sizes), HOIST_OK);
}

static hoist_status replace_for(void *user_data, const char *key, const void *expected, size_t expected_size,
                                const void *value, size_t value_size, int64_t lifetime_ms, hoist_bytes_sink *sink) {
  value_call call;
  if (!begin(&call, user_data, key)) return call.turn.why.status;
  words words = change_of(&call, &script_replace, key);
  words_text(&words, expected ? "1" : "0");
  words_bytes(&words, expected, expected ? expected_size : 0);
  words_text(&words, value ? "1" : "0");
  words_bytes(&words, value, value ? value_size : 0);
  char life[NUMBER_BYTES];
  words_number(&words, life, lifetime_ms > 0 ? lifetime_ms : 0);
  redisReply *answer = make_change(&call, &script_replace, &words);
  hoist_status status = HOIST_OK;
  if (answer && answer->type == REDIS_REPLY_NIL) status = HOIST_ERR_NOT_FOUND;
  if (answer && answer->type == REDIS_REPLY_STRING) {
    status = hoist_bytes_sink_write(sink, answer->str, answer->len);
    if (status == HOIST_OK) status = HOIST_ERR_STATE;
  }
  return end(&call, answer, status);
}

static hoist_status replace(void *user_data, const char *key, const void *expected, size_t expected_size,
                            const void *value, size_t value_size, hoist_bytes_sink *sink) {
  return replace_for(user_data, key, expected, expected_size, value, value_size, 0, sink);
}

static hoist_status append(void *user_data, const char *key, const void *head, size_t head_size, const void *bytes,
                           size_t bytes_size) {
  value_call call;
  if (!begin(&call, user_data, key)) return call.turn.why.status;
  words words = change_of(&call, &script_append, key);
  words_bytes(&words, head, head_size);
  words_bytes(&words, bytes, bytes_size);
  redisReply *answer = make_change(&call, &script_append, &words);
  hoist_status status = HOIST_OK;
  if (answer && answer->type == REDIS_REPLY_NIL) status = HOIST_ERR_NOT_FOUND;
  if (answer && answer->type == REDIS_REPLY_INTEGER && answer->integer == 0) status = HOIST_ERR_STATE;
  return end(&call, answer, status);
}

static bool begin_led(value_call *call, void *user_data, const char *key) {
  if (!begin(call, user_data, key)) return false;
  call->lead_name = name_of(call->own, "lead", key);
  if (call->lead_name) return true;
  failure_say(&call->turn.why, HOIST_ERR_LIMIT, GO_ON, "out of memory");
  end(call, NULL, HOIST_OK);
  return false;
}

static hoist_status lead(void *user_data, const char *key, const char *holder, int64_t lease_ms, int64_t *number_out,
                         int64_t *version_out) {
  value_call call;
  if (!begin_led(&call, user_data, key)) return call.turn.why.status;
  words words = call_of(&call, &script_lead);
  words_text(&words, holder ? holder : "");
  words_number(&words, call.ttl, lease_ms > 0 ? lease_ms : 0);
  redisReply *answer = script_call(&call.turn, &script_lead, &words);
  hoist_status status = HOIST_ERR_IO;
  if (answer && answer->type == REDIS_REPLY_ARRAY && answer->elements == 2) {
    *number_out = answer->element[0]->integer;
    *version_out = answer->element[1]->integer;
    call.turn.writes = *number_out > 0;
    status = HOIST_OK;
  }
  return end(&call, answer, status);
}

static hoist_status save_led(void *user_data, const char *key, const void *value, size_t size, int64_t number,
                             int64_t *version_out) {
  value_call call;
  if (!begin_led(&call, user_data, key)) return call.turn.why.status;
  char own_number[NUMBER_BYTES];
  words words = change_of(&call, &script_save_led, key);
  words_bytes(&words, value, size);
  words_number(&words, own_number, number);
  redisReply *answer = make_change(&call, &script_save_led, &words);
  *version_out = answer && answer->type == REDIS_REPLY_INTEGER ? answer->integer : 0;
  return end(&call, answer, *version_out > 0 ? HOIST_OK : HOIST_ERR_STATE);
}

void cache_add_values(hoist_cache *table) {
  table->load = load;
  table->save = save;
  table->remove = forget;
  table->replace = replace;
  table->replace_for = replace_for;
  table->append = append;
  table->lead = lead;
  table->save_led = save_led;
}
