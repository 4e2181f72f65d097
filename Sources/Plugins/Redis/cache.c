#define _GNU_SOURCE
#include "cache.h"
#include <hoist/plugins/redis.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

static void release(void *user_data) {
  cache *own = user_data;
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
  return HOIST_OK;
}
