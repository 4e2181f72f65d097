#include "options.h"
#include <hoist/plugins/redis.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {HOIST_REDIS_CACHE, HOIST_REDIS_LAUNCHDARKLY_STORE, HOIST_REDIS_LAUNCHDARKLY_BIG_SEGMENTS};

static bool is_kind(const char *name) {
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (strcmp(kinds[i], name) == 0) return true;
  return false;
}

static bool read_text(json_t *value, char **place, const char *name, char *message, size_t size) {
  if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value)) {
    snprintf(message, size, "option \"%s\" has to be a text", name);
    return false;
  }
  char *copy = strdup(json_string_value(value));
  if (!copy) {
    snprintf(message, size, "out of memory");
    return false;
  }
  free(*place);
  *place = copy;
  return true;
}

/* A part of the names of all keys. */
static bool read_name(json_t *value, char *place, const char *name, char *message, size_t size) {
  const char *text = json_string_value(value);
  bool is_good = text && text[0] && json_string_length(value) <= NAME_BYTES;
  for (size_t i = 0; is_good && i < json_string_length(value); i++)
    is_good = (unsigned char)text[i] >= ' ' && text[i] != '{' && text[i] != '}' && text[i] != '\x7f';
  if (!is_good) {
    snprintf(message, size, "option \"%s\" has to be a text of 1 to %d bytes without \"{\", \"}\" and control characters",
             name, NAME_BYTES);
    return false;
  }
  strcpy(place, text);
  return true;
}

static bool read_number(json_t *value, int64_t *place, int64_t least, int64_t most, const char *name, char *message,
                        size_t size) {
  if (!json_is_integer(value) || json_integer_value(value) < least || json_integer_value(value) > most) {
    snprintf(message, size, "option \"%s\" has to be a whole number from %lld to %lld", name, (long long)least,
             (long long)most);
    return false;
  }
  *place = json_integer_value(value);
  return true;
}

static bool read_messages(json_t *value, bool *place, char *message, size_t size) {
  const char *text = json_string_value(value);
  *place = text && strcmp(text, "stderr") == 0;
  if (*place || (text && strcmp(text, "none") == 0)) return true;
  snprintf(message, size, "option \"" HOIST_REDIS_MESSAGES "\" has to be \"stderr\" or \"none\"");
  return false;
}

static bool read_truth(json_t *value, bool *place, const char *name, char *message, size_t size) {
  *place = json_is_true(value);
  if (json_is_boolean(value)) return true;
  snprintf(message, size, "option \"%s\" has to be true or false", name);
  return false;
}

static bool read_tls(json_t *value, char *message, size_t size) {
  if (json_is_false(value)) return true;
  snprintf(message, size,
           json_is_true(value) ? "option \"" HOIST_REDIS_TLS "\" cannot be true: hiredis 0.14 has no TLS; "
                                 "give the address of a TLS tunnel on this machine"
                               : "option \"" HOIST_REDIS_TLS "\" has to be true or false");
  return false;
}

static bool read_member(options *own, const char *name, json_t *value, char *message, size_t size) {
  const int64_t day = 86400000, for_ever = INT64_C(1) << 53;
#define IS(option) (strcmp(name, option) == 0)
#define NUMBER(place, least, most) read_number(value, &own->place, least, most, name, message, size)
  if (IS(HOIST_REDIS_HOST)) return read_text(value, &own->host, name, message, size);
  if (IS(HOIST_REDIS_SOCKET)) return read_text(value, &own->socket, name, message, size);
  if (IS(HOIST_REDIS_USER)) return read_text(value, &own->user, name, message, size);
  if (IS(HOIST_REDIS_PASSWORD)) return read_text(value, &own->password, name, message, size);
  if (IS(HOIST_REDIS_PREFIX)) return read_name(value, own->prefix, name, message, size);
  if (IS(HOIST_REDIS_SCOPE)) return read_name(value, own->scope, name, message, size);
  if (IS(HOIST_REDIS_PORT)) return NUMBER(port, 1, 65535);
  if (IS(HOIST_REDIS_DATABASE)) return NUMBER(database, 0, 65535);
  if (IS(HOIST_REDIS_TIMEOUT_MS)) return NUMBER(timeout_ms, 1, 9000);
  if (IS(HOIST_REDIS_RETRY_FIRST_MS)) return NUMBER(retry_first_ms, 0, day);
  if (IS(HOIST_REDIS_RETRY_MAX_MS)) return NUMBER(retry_max_ms, 0, day);
  if (IS(HOIST_REDIS_PERSON_TTL_MS)) return NUMBER(person_ttl_ms, 0, for_ever);
  if (IS(HOIST_REDIS_MAX_EVENTS)) return NUMBER(max_events, 0, for_ever);
  if (IS(HOIST_REDIS_MESSAGES)) return read_messages(value, &own->says_messages, message, size);
  if (IS(HOIST_REDIS_NEWS)) return read_truth(value, &own->tells_news, name, message, size);
  if (IS(HOIST_REDIS_TLS)) return read_tls(value, message, size);
#undef IS
#undef NUMBER
  snprintf(message, size, "option \"%.80s\" is unknown; hoist/plugins/redis.h lists them", name);
  return false;
}

static bool read_all(options *own, json_t *object, bool is_top, char *message, size_t size) {
  const char *name;
  json_t *value;
  json_object_foreach(object, name, value) {
    if (is_top && is_kind(name)) continue;
    if (!read_member(own, name, value, message, size)) return false;
  }
  return true;
}

static asked read_kind(options *own, json_t *root, const char *kind, char *message, size_t size) {
  bool asks_for_one = false;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    json_t *part = json_object_get(root, kinds[i]);
    asks_for_one = asks_for_one || part;
    if (!part || json_is_object(part)) continue;
    snprintf(message, size, "option \"%s\" has to be an object", kinds[i]);
    return WRONG;
  }
  json_t *part = json_object_get(root, kind);
  bool is_cache = strcmp(kind, HOIST_REDIS_CACHE) == 0;
  strcpy(own->prefix, is_cache ? "hoist" : "launchdarkly");
  if (!read_all(own, root, true, message, size) || !read_all(own, part, false, message, size)) return WRONG;
  if (!part && (asks_for_one || !is_cache)) return NOT_ASKED;
  if (own->user && !own->password) {
    snprintf(message, size, "option \"" HOIST_REDIS_USER "\" needs a \"" HOIST_REDIS_PASSWORD "\"");
    return WRONG;
  }
  if (is_cache && !own->scope[0]) {
    snprintf(message, size, "option \"" HOIST_REDIS_SCOPE "\" is missing: the name under which clients of one service, "
                            "environment and key share what they keep, e.g. \"unleash:production\"");
    return WRONG;
  }
  return ASKED;
}

asked options_read(options *made, const char *text, const char *kind, char *message, size_t message_size) {
  *made = (options){.port = 6379, .timeout_ms = 2000, .retry_first_ms = 100, .retry_max_ms = 10000,
                    .says_messages = true, .tells_news = true, .max_events = 1000000, .host = strdup("127.0.0.1")};
  json_error_t error;
  json_t *root = json_loads(text[0] ? text : "{}", JSON_REJECT_DUPLICATES, &error);
  asked result = WRONG;
  if (!root) {
    snprintf(message, message_size, "the options are no JSON object: column %d: %s", error.column, error.text);
  } else if (!json_is_object(root)) {
    snprintf(message, message_size, "the options are JSON, and no object");
  } else if (!made->host) {
    snprintf(message, message_size, "out of memory");
  } else {
    result = read_kind(made, root, kind, message, message_size);
  }
  json_decref(root);
  return result;
}

bool options_copy(options *made, const options *own) {
  *made = *own;
  made->host = strdup(own->host);
  made->socket = own->socket ? strdup(own->socket) : NULL;
  made->user = own->user ? strdup(own->user) : NULL;
  made->password = own->password ? strdup(own->password) : NULL;
  return made->host && !made->socket == !own->socket && !made->user == !own->user && !made->password == !own->password;
}

void options_free(options *own) {
  free(own->host);
  free(own->socket);
  free(own->user);
  free(own->password);
  *own = (options){0};
}
