/* What is said first over a new connection. */
#include "connection.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_VERSION = 5 };

/* Without the retries of connection_ask(), which are for connections that have been made. */
static redisReply *ask(turn *own, int count, const char **words) {
  size_t sizes[3];
  for (int i = 0; i < count; i++) sizes[i] = strlen(words[i]);
  redisReply *answer = connection_exchange(own, count, words, sizes);
  if (!answer || answer->type != REDIS_REPLY_ERROR) return answer;
  failure_read(&own->why, answer->str);
  freeReplyObject(answer);
  return NULL;
}

static bool accepts(turn *own, int count, const char **words) {
  return answer_free(ask(own, count, words));
}

static bool log_in(turn *own) {
  const options *options = &own->connection->options;
  if (!options->password) return true;
  const char *words[3] = {"AUTH"};
  int count = 1;
  if (options->user) words[count++] = options->user;
  words[count++] = options->password;
  return accepts(own, count, words);
}

static bool choose_database(turn *own) {
  if (own->connection->options.database == 0) return true;
  char number[24];
  snprintf(number, sizeof number, "%lld", (long long)own->connection->options.database);
  return accepts(own, 2, (const char *[]){"SELECT", number});
}

/* Copies the value of a line "name:value"; "" for none. */
static void read_line(const char *text, const char *name, char *value, size_t size) {
  const char *found = strstr(text, name);
  size_t length = found ? strcspn(found + strlen(name), "\r\n") : 0;
  if (length >= size) length = size - 1;
  if (found) memcpy(value, found + strlen(name), length);
  value[length] = 0;
}

/* Sets `is_another` when another process of the server's answered before. A user who may not ask is believed. */
static bool know_server(turn *own, bool *is_another) {
  redisReply *answer = ask(own, 2, (const char *[]){"INFO", "server"});
  if (!answer) {
    if (own->why.status != HOIST_ERR_CONFIG || !strstr(own->why.text, "NOPERM")) return false;
    return true;
  }
  char version[32] = "", run_id[RUN_ID_BYTES + 1] = "";
  if (answer->type == REDIS_REPLY_STRING) {
    read_line(answer->str, "redis_version:", version, sizeof version);
    read_line(answer->str, "run_id:", run_id, sizeof run_id);
  }
  freeReplyObject(answer);
  if (atoi(version) < LEAST_VERSION) {
    failure_say(&own->why, HOIST_ERR_UNSUPPORTED, REST, "Redis is of version \"%s\", and has to be of %d.0 or newer",
                version, LEAST_VERSION);
    return false;
  }
  *is_another = own->connection->run_id[0] && strcmp(own->connection->run_id, run_id) != 0;
  strcpy(own->connection->run_id, run_id);
  return true;
}

/* Tells of a server that has come back without what was kept. */
static bool look_for_marker(turn *own, bool is_another) {
  connection *connection = own->connection;
  if (!connection->marker) return true;
  redisReply *answer = ask(own, 2, (const char *[]){"EXISTS", connection->marker});
  if (!answer) return false;
  bool is_there = answer->type == REDIS_REPLY_INTEGER && answer->integer == 1;
  freeReplyObject(answer);
  if (is_another && connection->has_seen_marker && !is_there)
    connection_say(connection, "Redis has come back empty: what is kept is kept anew as it changes; what only Redis had is lost");
  connection->has_seen_marker = is_there;
  return true;
}

bool connection_greet(turn *own) {
  bool is_another = false;
  return log_in(own) && choose_database(own) && know_server(own, &is_another) && look_for_marker(own, is_another);
}
