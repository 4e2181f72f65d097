#include "options.h"
#include <hoist/plugins/kafka.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What no host may give to librdkafka itself: an option of ours says it, or a promise of the header depends on it. */
static const struct { const char *name, *instead; } taken[] = {
    {"bootstrap.servers", "give \"" HOIST_KAFKA_BROKERS "\""},
    {"metadata.broker.list", "give \"" HOIST_KAFKA_BROKERS "\""},
    {"message.timeout.ms", "give \"" HOIST_KAFKA_DELIVERY_TIMEOUT_MS "\""},
    {"delivery.timeout.ms", "give \"" HOIST_KAFKA_DELIVERY_TIMEOUT_MS "\""},
    {"message.max.bytes", "give \"" HOIST_KAFKA_MESSAGE_MAX_BYTES "\""},
    {"acks", "it is \"all\""},
    {"request.required.acks", "it is \"all\""},
    {"enable.idempotence", "it is true"},
    {"batch.size", "small records must not be refused with a large one"},
    {"transactional.id", "there are no transactions"},
    {"plugin.library.paths", "no further code is loaded"},
    {"group.id", "give \"" HOIST_KAFKA_GROUP "\""},
    {"enable.auto.commit", "what is done with is committed"},
    {"enable.auto.offset.store", "what is done with is committed"},
    {"partition.assignment.strategy", "it is \"range,roundrobin\""},
};

static bool set(rd_kafka_conf_t *conf, const char *name, const char *value, char *message, size_t size) {
  static const char *const secrets[] = {"password", "secret", "pem", "oauthbearer", "username", "keytab", "token"};
  char reason[256];
  rd_kafka_conf_res_t result = rd_kafka_conf_set(conf, name, value, reason, sizeof reason);
  if (result == RD_KAFKA_CONF_OK) return true;
  for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++)
    if (strstr(name, secrets[i])) strcpy(reason, "the value *** is refused");
  if (result == RD_KAFKA_CONF_UNKNOWN) strcpy(reason, "librdkafka has no such property");
  snprintf(message, size, "option \"" HOIST_KAFKA_LIBRDKAFKA "\": \"%.80s\": %s", name, reason);
  return false;
}

static bool set_number(rd_kafka_conf_t *conf, const char *name, int64_t value, char *message, size_t size) {
  char text[24];
  snprintf(text, sizeof text, "%" PRId64, value);
  return set(conf, name, text, message, size);
}

static bool read_own_properties(options *own, json_t *given, char *message, size_t size) {
  const char *name;
  json_t *value;
  if (!json_is_object(given)) {
    snprintf(message, size, "option \"" HOIST_KAFKA_LIBRDKAFKA "\" has to be an object");
    return false;
  }
  json_object_foreach(given, name, value) {
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
      if (strcmp(taken[i].name, name) != 0) continue;
      snprintf(message, size, "option \"" HOIST_KAFKA_LIBRDKAFKA "\": \"%s\" cannot be given: %s", name, taken[i].instead);
      return false;
    }
    bool is_set;
    if (json_is_integer(value)) is_set = set_number(own->conf, name, json_integer_value(value), message, size);
    else if (json_is_boolean(value)) is_set = set(own->conf, name, json_is_true(value) ? "true" : "false", message, size);
    else if (json_is_string(value)) is_set = set(own->conf, name, json_string_value(value), message, size);
    else {
      snprintf(message, size, "option \"" HOIST_KAFKA_LIBRDKAFKA "\": \"%.80s\" has to be a text, a whole number, true or false",
               name);
      return false;
    }
    if (!is_set) return false;
  }
  return true;
}

static bool read_brokers(options *own, json_t *value, char *message, size_t size) {
  const char *text = json_string_value(value);
  if (!text || !text[0]) {
    snprintf(message, size, "option \"" HOIST_KAFKA_BROKERS "\" has to be a text: \"HOST:PORT\", or several of them with commas");
    return false;
  }
  own->brokers = strdup(text);
  if (!own->brokers) snprintf(message, size, "out of memory");
  return own->brokers;
}

static const char letters[] = "._-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/* Topics with commas, so long that the dead letters' names are no longer than Kafka allows. */
static bool read_topics(options *own, json_t *value, char *message, size_t size) {
  const char *text = json_string_value(value), *at = text;
  bool is_good = text && text[0] && json_string_length(value) <= TOPICS_BYTES;
  while (is_good && *at) {
    size_t count = strspn(at, letters);
    at += count;
    is_good = count > 0 && count + sizeof DEAD_LETTERS_SUFFIX - 1 <= TOPIC_BYTES && (!*at || (*at == ',' && at[1]));
    if (*at == ',') at++;
  }
  if (is_good) strcpy(own->topic, text);
  else
    snprintf(message, size, "option \"" HOIST_KAFKA_TOPIC "\" has to be a text: names of topics with commas, each of 1 to %d letters of "
                            "ASCII, digits, \".\", \"_\" and \"-\"", TOPIC_BYTES - (int)sizeof DEAD_LETTERS_SUFFIX + 1);
  return is_good;
}

static bool read_name(json_t *value, char *place, size_t most, const char *name, const char *allowed, char *message, size_t size) {
  const char *text = json_string_value(value);
  size_t count = json_string_length(value);
  bool is_good = text && count > 0 && count <= most && (!allowed || strspn(text, allowed) == count);
  if (is_good) strcpy(place, text);
  else snprintf(message, size, "option \"%s\" has to be a text of 1 to %zu bytes%s", name, most, allowed ? ": letters of ASCII, digits, \".\", \"_\" and \"-\"" : "");
  return is_good;
}

static bool read_topic(options *own, json_t *value, char *message, size_t size) {
  const char *text = json_string_value(value);
  bool is_good = text && text[0] && json_string_length(value) <= TOPIC_BYTES;
  for (const char *at = text; is_good && *at; at++) {
    if (strncmp(at, "{service}", 9) == 0) at += 8;
    else if (strncmp(at, "{pipeline}", 10) == 0) at += 9;
    else is_good = strchr(letters, *at);
  }
  if (!is_good) {
    snprintf(message, size, "option \"" HOIST_KAFKA_TOPIC "\" has to be a text of 1 to %d letters of ASCII, digits, \".\", \"_\" and "
                            "\"-\", in which {service} and {pipeline} may stand", TOPIC_BYTES);
    return false;
  }
  strcpy(own->topic, text);
  return true;
}

static bool read_number(json_t *value, int64_t *place, int64_t least, int64_t most, const char *name, char *message,
                        size_t size) {
  if (!json_is_integer(value) || json_integer_value(value) < least || json_integer_value(value) > most) {
    snprintf(message, size, "option \"%s\" has to be a whole number from %" PRId64 " to %" PRId64, name, least, most);
    return false;
  }
  *place = json_integer_value(value);
  return true;
}

static bool read_member(options *own, const char *name, json_t *value, char *message, size_t size) {
  if (strcmp(name, HOIST_KAFKA_BROKERS) == 0) return read_brokers(own, value, message, size);
  if (strcmp(name, HOIST_KAFKA_TOPIC) == 0)
    return own->forwards ? read_topics(own, value, message, size) : read_topic(own, value, message, size);
  if (own->forwards && strcmp(name, HOIST_KAFKA_GROUP) == 0)
    return read_name(value, own->group, sizeof own->group - 1, name, NULL, message, size);
  if (own->forwards && strcmp(name, HOIST_KAFKA_DEAD_LETTERS) == 0)
    return read_name(value, own->dead_letters, TOPIC_BYTES, name, letters, message, size);
  if (strcmp(name, HOIST_KAFKA_LIBRDKAFKA) == 0) return read_own_properties(own, value, message, size);
  if (strcmp(name, HOIST_KAFKA_DELIVERY_TIMEOUT_MS) == 0)
    return read_number(value, &own->delivery_timeout_ms, 1000, 600000, name, message, size);
  if (strcmp(name, HOIST_KAFKA_MESSAGE_MAX_BYTES) == 0)
    return read_number(value, &own->message_max_bytes, 1000, 1000000000, name, message, size);
  snprintf(message, size, "option \"%.80s\" is unknown; hoist/plugins/kafka.h lists them", name);
  return false;
}

/* What librdkafka would say on stderr: what matters comes as an error of a delivery, too. */
static void stay_silent(const rd_kafka_t *kafka, int level, const char *facility, const char *text) {
  (void)kafka, (void)level, (void)facility, (void)text;
}

static bool read_all(options *own, json_t *root, char *message, size_t size) {
  const char *name;
  json_t *value;
  json_object_foreach(root, name, value)
    if (!read_member(own, name, value, message, size)) return false;
  if (!own->brokers) {
    snprintf(message, size, "option \"" HOIST_KAFKA_BROKERS "\" is missing: \"HOST:PORT\", or several of them with commas");
    return false;
  }
  if (own->forwards && (!own->topic[0] || !own->group[0])) {
    snprintf(message, size, "option \"%s\" is missing", own->topic[0] ? HOIST_KAFKA_GROUP : HOIST_KAFKA_TOPIC);
    return false;
  }
  rd_kafka_conf_set_log_cb(own->conf, stay_silent);
  /* A set of records that the brokers refuse as too large is one record then: no small one is refused along with it. */
  const int64_t most = 65536;
  return set(own->conf, "bootstrap.servers", own->brokers, message, size) &&
         set(own->conf, "enable.idempotence", "true", message, size) && set(own->conf, "acks", "all", message, size) &&
         set_number(own->conf, "message.timeout.ms", own->delivery_timeout_ms, message, size) &&
         /* So that a topic that is missing is said to be, before time is over. */
         set_number(own->conf, "topic.metadata.propagation.max.ms", own->delivery_timeout_ms / 2, message, size) &&
         set_number(own->conf, "message.max.bytes", own->message_max_bytes, message, size) &&
         set_number(own->conf, "batch.size", own->message_max_bytes < most ? own->message_max_bytes : most, message, size);
}

static bool read_text(options *made, const char *text, char *message, size_t message_size) {
  made->delivery_timeout_ms = 10000;
  made->message_max_bytes = 1000000;
  made->conf = rd_kafka_conf_new();
  /* Until then a topic that was missing or closed goes on being so. A host may say otherwise. */
  if (!set(made->conf, "topic.metadata.refresh.interval.ms", "60000", message, message_size)) return false;
  json_error_t error;
  json_t *root = json_loads(text[0] ? text : "{}", JSON_REJECT_DUPLICATES, &error);
  bool is_read = false;
  if (!root) snprintf(message, message_size, "the options are no JSON object: column %d: %s", error.column, error.text);
  else if (!json_is_object(root)) snprintf(message, message_size, "the options are JSON, and no object");
  else is_read = read_all(made, root, message, message_size);
  json_decref(root);
  return is_read;
}

bool options_read(options *made, const char *text, char *message, size_t message_size) {
  *made = (options){.topic = "hoist.{service}.{pipeline}"};
  return read_text(made, text, message, message_size);
}

bool options_read_forward(options *made, const char *text, char *message, size_t message_size) {
  *made = (options){.forwards = true};
  return read_text(made, text, message, message_size);
}

void options_free(options *own) {
  if (own->conf) rd_kafka_conf_destroy(own->conf);
  free(own->brokers);
  *own = (options){0};
}
