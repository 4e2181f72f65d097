#define _GNU_SOURCE
#include "connection.h"
#include "pause.h"
#include "socket.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A larger answer is none of ours. */
static const size_t largest_answer = (size_t)320 << 20;
enum { MOST_HOPS = 3, SAID_AGAIN_MS = 600000 };

uint64_t connection_random(connection *own) {
  /* xorshift64* */
  own->random ^= own->random >> 12;
  own->random ^= own->random << 25;
  own->random ^= own->random >> 27;
  return own->random * UINT64_C(0x2545F4914F6CDD1D);
}

void connection_init(connection *own, options *taken) {
  *own = (connection){.options = *taken, .socket = -1};
  *taken = (options){0};
  pthread_mutex_init(&own->lock, NULL);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  own->random = ((uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 20 ^ (uint64_t)(uintptr_t)own) | 1;
  if (own->options.scope[0]) {
    snprintf(own->marker_key, sizeof own->marker_key, "{%s:%s}:kept", own->options.prefix, own->options.scope);
    own->marker = own->marker_key;
  }
  connections_add(own);
}

static void disconnect(connection *own) {
  if (own->socket >= 0) close(own->socket);
  own->socket = -1;
  if (own->reader) redisReaderFree(own->reader);
  own->reader = NULL;
  own->is_proven = false;
}

void connection_release(connection *own) {
  connections_remove(own);
  disconnect(own);
  free(own->moved_host);
  options_free(&own->options);
  pthread_mutex_destroy(&own->lock);
}

void connection_say(connection *own, const char *text) {
  if (own->options.says_messages) fprintf(stderr, "hoist-redis: %s\n", text);
}

static void rest(connection *own, const failure *why) {
  disconnect(own);
  free(own->moved_host);
  own->moved_host = NULL;
  own->failed_attempts += own->failed_attempts < 64;
  own->last = *why;
  own->rests_until = now_ms() + pause_ms(own->failed_attempts, own->options.retry_first_ms, own->options.retry_max_ms,
                                         connection_random(own));
}

static bool connect_now(turn *own) {
  connection *connection = own->connection;
  const options *options = &connection->options;
  if (now_ms() < connection->rests_until) {
    own->why = connection->last;
    return false;
  }
  bool is_moved = connection->moved_host;
  connection->reader = redisReaderCreate();
  if (!connection->reader) {
    failure_say(&own->why, HOIST_ERR_LIMIT, GO_ON, "out of memory");
    return false;
  }
  connection->socket = socket_open(is_moved ? NULL : options->socket, is_moved ? connection->moved_host : options->host,
                             is_moved ? connection->moved_port : (int)options->port, own->deadline, &own->why);
  own->has_sent = false;
  if (connection->socket >= 0 && connection_greet(own)) return true;
  rest(connection, &own->why);
  return false;
}

bool connection_begin(connection *connection, turn *own) {
  *own = (turn){.connection = connection, .deadline = now_ms() + connection->options.timeout_ms};
  struct timespec until = {.tv_sec = own->deadline / 1000, .tv_nsec = own->deadline % 1000 * 1000000};
  if (pthread_mutex_clocklock(&connection->lock, CLOCK_MONOTONIC, &until) == 0) return true;
  failure_say(&own->why, HOIST_ERR_TIMEOUT, GO_ON, "another call has taken all the time (option \"timeout_ms\")");
  return false;
}

/* What differs only in what is quoted in brackets is the same. */
static bool was_said(const connection *own, const char *text) {
  size_t length = strcspn(text, "(");
  return strcspn(own->said, "(") == length && strncmp(own->said, text, length) == 0 && now_ms() < own->said_at + SAID_AGAIN_MS;
}

static void say_failure(connection *own, const failure *why) {
  /* That a server refuses some things is no episode: it may do others. */
  own->is_failing = own->is_failing || why->rule != GO_ON;
  own->has_to_write = own->has_to_write || why->rule == REST_FROM_WRITES;
  if (was_said(own, why->text)) return;
  connection_say(own, why->text);
  strcpy(own->said, why->text);
  own->said_at = now_ms();
}

static void say_recovery(connection *own) {
  connection_say(own, "works again");
  own->said[0] = 0;
  own->is_failing = own->has_to_write = false;
}

hoist_status connection_end(turn *own, bool is_good) {
  connection *connection = own->connection;
  if (is_good) connection->failed_attempts = 0;
  if (!is_good) say_failure(connection, &own->why);
  else if (connection->is_failing && (own->writes || !connection->has_to_write)) say_recovery(connection);
  pthread_mutex_unlock(&connection->lock);
  return is_good ? HOIST_OK : own->why.status;
}

redisReply *connection_exchange(turn *own, int count, const char **words, const size_t *sizes) {
  connection *connection = own->connection;
  char *command = NULL;
  int length = redisFormatCommandArgv(&command, count, words, sizes);
  if (length < 0) {
    failure_say(&own->why, HOIST_ERR_LIMIT, GO_ON, "out of memory");
    return NULL;
  }
  bool is_sent = socket_send(connection->socket, command, (size_t)length, own->deadline, &own->why);
  redisFreeCommand(command);
  void *answer = NULL;
  for (size_t total = 0; is_sent && !answer;) {
    char bytes[16384];
    size_t received = socket_receive(connection->socket, bytes, sizeof bytes, own->deadline, &own->why);
    if (received == 0) return NULL;
    total += received;
    if (total > largest_answer || redisReaderFeed(connection->reader, bytes, received) != REDIS_OK ||
        redisReaderGetReply(connection->reader, &answer) != REDIS_OK) {
      failure_say(&own->why, HOIST_ERR_NETWORK, REST, "what answers is no Redis, or its answer is damaged: %s",
                  connection->reader->errstr);
      return NULL;
    }
  }
  return answer;
}

/* "MOVED 3999 127.0.0.1:6381": the address; without a host it is the same one. */
static bool follow(turn *own, const char *error) {
  connection *connection = own->connection;
  const char *address = strrchr(error, ' '), *colon = strrchr(error, ':');
  long port = colon ? strtol(colon + 1, NULL, 10) : 0;
  if (!address || !colon || colon < address || port < 1 || port > 65535 || own->hops++ >= MOST_HOPS) return false;
  char *host = colon - address > 1 ? strndup(address + 1, (size_t)(colon - address - 1))
                                   : strdup(connection->moved_host ? connection->moved_host : connection->options.host);
  if (!host) return false;
  disconnect(connection);
  free(connection->moved_host);
  connection->moved_host = host;
  connection->moved_port = (int)port;
  return true;
}

bool answer_free(redisReply *answer) {
  bool is_there = answer;
  freeReplyObject(answer);
  return is_there;
}

void connection_give_up(turn *own) { disconnect(own->connection); }

redisReply *connection_ask(turn *own, int count, const char **words, const size_t *sizes) {
  connection *connection = own->connection;
  for (;;) {
    if (connection->socket < 0 && !connect_now(own)) return NULL;
    bool is_first = !own->has_sent, was_idle = connection->is_proven && is_first;
    own->has_sent = true;
    redisReply *answer = connection_exchange(own, count, words, sizes);
    if (answer && answer->type != REDIS_REPLY_ERROR) {
      connection->is_proven = true;
      return answer;
    }
    bool is_moved = false;
    if (answer) {
      failure_read(&own->why, answer->str);
      if (own->is_optional && own->why.status == HOIST_ERR_CONFIG) own->why.rule = GO_ON;
      /* A user who may only read. */
      if (own->writes && strncmp(answer->str, "NOPERM", strlen("NOPERM")) == 0) own->why.rule = REST_FROM_WRITES;
      is_moved = own->why.rule == FOLLOW && follow(own, answer->str);
      freeReplyObject(answer);
    }
    /* What belongs to commands before it is not sent elsewhere; the next turn goes there. */
    if (is_moved && is_first) continue;
    if (is_moved) return NULL;
    if (own->why.rule == CONNECT_ANEW && was_idle && !own->has_retried) {
      /* It was closed while nothing was asked, perhaps: the server has been started anew. */
      disconnect(connection);
      own->has_retried = true;
      continue;
    }
    if (own->why.rule != GO_ON && own->why.rule != SEND_WHOLE) rest(connection, &own->why);
    return NULL;
  }
}
