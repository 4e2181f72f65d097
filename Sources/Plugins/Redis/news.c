#define _GNU_SOURCE
#include "news.h"
#include "connection.h"
#include "pause.h"
#include "socket.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
  /* All listeners of a fleet lose their server at the same time, and are to come back one by one. */
  SPREAD_MS = 3000,
  FORBIDDEN_MS = 60000,
  /* Asked after so many times "timeout_ms" of silence whether it is still there. */
  QUIET_TIMEOUTS = 10,
  MOST_BYTES = 1 << 20, /* a longer message is no key of ours */
  STACK_BYTES = 256 << 10,
};

struct news {
  pthread_mutex_t lock;
  hoist_cache_news *told; /* guarded by `lock`; NULL: it is over */
  int wake;               /* an eventfd: it is over */
  unsigned forks;         /* a forked child does not have the thread */
  /* The rest is the thread's. */
  connection connection;
  char *channel;
  int64_t retry_max_ms;
  bool says_messages, has_said;
  int failed_attempts;
};

static void release(news *own) {
  if (own->wake >= 0) close(own->wake);
  free(own->channel);
  connection_release(&own->connection);
  pthread_mutex_destroy(&own->lock);
  free(own);
}

/* False: it is over. */
static bool post(news *own, const char *key) {
  pthread_mutex_lock(&own->lock);
  bool is_wanted = own->told;
  if (is_wanted) hoist_cache_news_post(own->told, key);
  pthread_mutex_unlock(&own->lock);
  return is_wanted;
}

static bool is_over(news *own) {
  pthread_mutex_lock(&own->lock);
  bool is_over = !own->told;
  pthread_mutex_unlock(&own->lock);
  return is_over;
}

/* Waits for bytes of the server, where there is one, or the end; false when there are none. */
static bool await(news *own, int socket, int64_t until) {
  struct pollfd both[] = {{.fd = own->wake, .events = POLLIN}, {.fd = socket, .events = POLLIN}};
  int64_t left = until - now_ms();
  return poll(both, 2, left > 0 ? (int)left : 0) > 0 && both[1].revents;
}

static void tell(news *own, const redisReply *message) {
  if (message->type != REDIS_REPLY_ARRAY || message->elements != 3) return;
  const redisReply *kind = message->element[0], *key = message->element[2];
  if (kind->type == REDIS_REPLY_STRING && key->type == REDIS_REPLY_STRING && strcmp(kind->str, "message") == 0)
    post(own, key->str);
}

/* Takes what has come; false when the connection is of no use any more. `pending`: the bytes of a message that is not whole. */
static bool take(news *own, size_t *pending) {
  char bytes[4096];
  failure why;
  size_t size = socket_receive(own->connection.socket, bytes, sizeof bytes, now_ms(), &why);
  if (size == 0 || (*pending += size) > MOST_BYTES || redisReaderFeed(own->connection.reader, bytes, size) != REDIS_OK) return false;
  for (;;) {
    void *message = NULL;
    if (redisReaderGetReply(own->connection.reader, &message) != REDIS_OK) return false;
    if (!message) return true;
    tell(own, message);
    freeReplyObject(message);
    *pending = 0;
  }
}

/* Until the connection breaks, the server is silent, or it is over. */
static void follow(news *own) {
  static const char ping[] = "*1\r\n$4\r\nPING\r\n";
  const int64_t timeout = own->connection.options.timeout_ms;
  size_t pending = 0;
  bool has_asked = false;
  int64_t until = now_ms() + QUIET_TIMEOUTS * timeout;
  while (!is_over(own)) {
    failure why;
    if (await(own, own->connection.socket, until)) {
      if (!take(own, &pending)) return;
      has_asked = false;
      until = now_ms() + QUIET_TIMEOUTS * timeout;
    } else if (now_ms() >= until) {
      if (has_asked || !socket_send(own->connection.socket, ping, sizeof ping - 1, now_ms() + timeout, &why)) return;
      has_asked = true;
      until = now_ms() + timeout;
    }
  }
}

/* Not allowed: others are still found by looking, and the rest works, so that this is no failure of the client's. */
static int64_t forbidden(news *own) {
  if (!own->has_said && own->says_messages)
    fprintf(stderr, "hoist-redis: Redis does not allow the user channel %s: what other processes change is found by looking, "
                    "later; allow SUBSCRIBE, PUBLISH and the channel\n", own->channel);
  own->has_said = true;
  return FORBIDDEN_MS;
}

/* One connection, from its beginning to its end. Returns how long nothing is tried. */
static int64_t listen_once(news *own) {
  turn turn;
  if (!connection_begin(&own->connection, &turn)) return SPREAD_MS;
  const char *words[] = {"SUBSCRIBE", own->channel};
  const size_t sizes[] = {strlen("SUBSCRIBE"), strlen(own->channel)};
  bool is_there = answer_free(connection_ask(&turn, 2, words, sizes));
  int64_t begun = now_ms();
  /* Nothing was heard until now. */
  if (is_there && post(own, NULL)) follow(own);
  connection_give_up(&turn);
  bool has_lasted = is_there && now_ms() - begun > SPREAD_MS;
  own->failed_attempts = has_lasted ? 1 : own->failed_attempts + (own->failed_attempts < 64);
  connection_end(&turn, is_there);
  if (!is_there && strstr(turn.why.text, "NOPERM")) return forbidden(own);
  return pause_ms(own->failed_attempts, SPREAD_MS, own->retry_max_ms, connection_random(&own->connection));
}

static void *run(void *user_data) {
  news *own = user_data;
  while (!is_over(own)) await(own, -1, now_ms() + listen_once(own));
  release(own);
  return NULL;
}

/* The host's signals are not for this thread. */
static bool start_thread(news *own) {
  pthread_attr_t attributes;
  sigset_t all, former;
  pthread_t thread;
  sigfillset(&all);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  bool is_started = pthread_create(&thread, &attributes, run, own) == 0;
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  pthread_attr_destroy(&attributes);
  return is_started;
}

news *news_start(const options *given, const char *channel, hoist_cache_news *told) {
  options copy;
  news *own = options_copy(&copy, given) ? calloc(1, sizeof *own) : NULL;
  if (!own) {
    options_free(&copy);
    return NULL;
  }
  own->retry_max_ms = copy.retry_max_ms;
  own->says_messages = copy.says_messages;
  /* The thread has pauses of its own, and what is wrong with the server is said by the cache's connection. */
  copy.retry_first_ms = copy.retry_max_ms = 0;
  copy.says_messages = false;
  pthread_mutex_init(&own->lock, NULL);
  connection_init(&own->connection, &copy);
  own->told = told;
  own->forks = connections_forks();
  own->channel = strdup(channel);
  own->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (own->channel && own->wake >= 0 && start_thread(own)) return own;
  release(own);
  return NULL;
}

void news_end(news *own) {
  if (!own) return;
  if (own->forks != connections_forks()) {
    /* The thread, which may have had any of this in hand, is the parent's. */
    own->connection.moved_host = NULL;
    release(own);
    return;
  }
  pthread_mutex_lock(&own->lock);
  own->told = NULL;
  /* With the lock held: the thread frees all of it. */
  eventfd_write(own->wake, 1);
  pthread_mutex_unlock(&own->lock);
}
