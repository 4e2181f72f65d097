/* The cache manager. */
#ifndef CACHE_H
#define CACHE_H

#include "connection.h"
#include "news.h"
#include <hoist/plugin.h>

typedef struct cache {
  connection connection;
  char tag[2 * NAME_BYTES + 8]; /* what all keys of the scope begin with */
  uint64_t changes;             /* numbers what is changed by this cache */
  char origin[40];              /* makes those numbers unique in the world */
  int64_t last_number;          /* of an event, guarded by the connection */
  /* The claim whose answer was lost, and the owner that it was for; "" for none. */
  char lost_claim[80], loser[256];
  news *news; /* NULL: it does not listen */
} cache;

hoist_status cache_make(const char *options, hoist_cache *table, char *message, size_t message_size);

/* A name for a change or a claim that no other has. */
void cache_name_change(cache *own, char *place, size_t size);

/* values.c, events.c: the members of the table. */
void cache_add_values(hoist_cache *table);
void cache_add_events(hoist_cache *table);

/* put.c. */
hoist_status cache_put_events(void *user_data, const hoist_event_row *rows, size_t count, const char *owner, int64_t lease_ms);

#endif
