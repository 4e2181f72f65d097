#define _GNU_SOURCE
#include "cache.h"
#include "words.h"
#include <hoist/plugins/redis.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

enum { CHANNEL_BYTES = sizeof((cache *)0)->tag + 8 };

static void release(void *user_data) {
  cache *own = user_data;
  news_end(own->news);
  connection_release(&own->connection);
  free(own);
}

/* A forked child has the numbers of its parent, and the clock makes the difference. */
void cache_name_change(cache *own, char *place, size_t size) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  snprintf(place, size, "%s.%" PRIx64 ".%" PRIx64, own->origin, ++own->changes,
           (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
}

static void name_channel(const cache *own, char *place) { snprintf(place, CHANNEL_BYTES, "%s:news", own->tag); }

static hoist_status announce(void *user_data, const char *key) {
  cache *own = user_data;
  turn turn;
  if (!connection_begin(&own->connection, &turn)) return turn.why.status;
  turn.is_optional = true;
  char channel[CHANNEL_BYTES];
  name_channel(own, channel);
  words words = words_of("PUBLISH", channel, key, NULL);
  bool is_good = answer_free(words_ask(&turn, &words));
  words_free(&words);
  /* The thread that listens says that it is not allowed. */
  bool is_forbidden = !is_good && turn.why.status == HOIST_ERR_CONFIG && turn.why.rule == GO_ON;
  hoist_status status = connection_end(&turn, is_good || is_forbidden);
  return is_forbidden ? HOIST_ERR_CONFIG : status;
}

static hoist_status listen_to(void *user_data, hoist_cache_news *told) {
  cache *own = user_data;
  news_end(own->news);
  char channel[CHANNEL_BYTES];
  name_channel(own, channel);
  own->news = told ? news_start(&own->connection.options, channel, told) : NULL;
  return told && !own->news ? HOIST_ERR_LIMIT : HOIST_OK;
}

hoist_status cache_make(const char *options_text, hoist_cache *table, char *message, size_t message_size) {
  options read;
  asked asked = options_read(&read, options_text, HOIST_REDIS_CACHE, message, message_size);
  cache *own = asked == ASKED ? calloc(1, sizeof *own) : NULL;
  if (!own) {
    options_free(&read);
    if (asked == ASKED) snprintf(message, message_size, "out of memory");
    return asked == ASKED ? HOIST_ERR_LIMIT : asked == NOT_ASKED ? HOIST_ERR_UNSUPPORTED : HOIST_ERR_CONFIG;
  }
  connection_init(&own->connection, &read);
  snprintf(own->tag, sizeof own->tag, "{%s:%s}", own->connection.options.prefix, own->connection.options.scope);
  uint64_t random[2] = {0};
  if (getrandom(random, sizeof random, GRND_NONBLOCK) < 0) random[0] = own->connection.random;
  snprintf(own->origin, sizeof own->origin, "%" PRIx64 "%016" PRIx64, random[0], random[1]);
  *table = (hoist_cache){.struct_size = sizeof *table, .user_data = own, .release = release};
  cache_add_values(table);
  cache_add_events(table);
  if (!own->connection.options.tells_news) return HOIST_OK;
  table->announce = announce;
  table->listen = listen_to;
  return HOIST_OK;
}
