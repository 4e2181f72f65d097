/* The stores of LaunchDarkly's mode server, with the keys of the vendor's own SDKs and relay (launchdarkly-server.md 10.3). */
#ifndef LAUNCHDARKLY_H
#define LAUNCHDARKLY_H

#include "connection.h"
#include <hoist/launchdarkly/stores.h>

/* What both have: a connection, and the name of the prefix. */
typedef struct vendor_store {
  connection connection;
} vendor_store;

/* HOIST_OK: a store in `made`. */
hoist_status vendor_store_make(vendor_store **made, const char *options, const char *kind, char *message, size_t message_size);
void vendor_store_release(void *user_data);

enum { KEY_BYTES = NAME_BYTES + 128 };
/* "PREFIX:NAME", and what follows it. */
void vendor_store_key(const vendor_store *own, char *place, const char *name, const char *more);

hoist_status rules_make(const char *options, hoist_launchdarkly_store *table, char *message, size_t message_size);
hoist_status big_segments_make(const char *options, hoist_launchdarkly_big_segments *table, char *message, size_t message_size);

#endif
