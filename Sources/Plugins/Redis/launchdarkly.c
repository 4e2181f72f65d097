#include "launchdarkly.h"
#include <stdio.h>
#include <stdlib.h>

hoist_status vendor_store_make(vendor_store **made, const char *options_text, const char *kind, char *message,
                               size_t message_size) {
  options read;
  asked asked = options_read(&read, options_text, kind, message, message_size);
  *made = asked == ASKED ? calloc(1, sizeof **made) : NULL;
  if (!*made) {
    options_free(&read);
    if (asked == ASKED) snprintf(message, message_size, "out of memory");
    return asked == ASKED ? HOIST_ERR_LIMIT : asked == NOT_ASKED ? HOIST_ERR_UNSUPPORTED : HOIST_ERR_CONFIG;
  }
  read.scope[0] = 0; /* a cache manager's */
  connection_init(&(*made)->connection, &read);
  return HOIST_OK;
}

void vendor_store_release(void *user_data) {
  vendor_store *own = user_data;
  connection_release(&own->connection);
  free(own);
}

void vendor_store_key(const vendor_store *own, char *place, const char *name, const char *more) {
  snprintf(place, KEY_BYTES, "%s:%s%s", own->connection.options.prefix, name, more);
}
