/* The sinks of the tables as a test sees them: loaded before a plug-in, in front of the library's own. */
#include <hoist/launchdarkly/stores.h>
#include <hoist/plugin.h>
#include <stdlib.h>
#include <string.h>

struct hoist_bytes_sink {
  char *bytes;
  size_t size;
};

HOIST_API hoist_status hoist_bytes_sink_write(hoist_bytes_sink *sink, const void *bytes, size_t size) {
  char *grown = realloc(sink->bytes, sink->size + size + 1);
  if (!grown) return HOIST_ERR_LIMIT;
  memcpy(grown + sink->size, bytes, size);
  sink->bytes = grown;
  sink->size += size;
  return HOIST_OK;
}

/* Calls back with what the test can read: see table.py. */
struct hoist_event_sink {
  hoist_status (*add)(const hoist_event_row *row);
};

HOIST_API hoist_status hoist_event_sink_add(hoist_event_sink *sink, const hoist_event_row *row) { return sink->add(row); }

struct hoist_cache_news {
  void (*told)(const char *key);
};

HOIST_API hoist_status hoist_cache_news_post(hoist_cache_news *news, const char *key) {
  news->told(key);
  return HOIST_OK;
}

struct hoist_launchdarkly_item_sink {
  hoist_status (*add)(const char *key, const char *json, size_t size);
};

HOIST_API hoist_status hoist_launchdarkly_item_sink_add(hoist_launchdarkly_item_sink *sink, const char *key, const char *json, size_t json_size) {
  return sink->add(key, json, json_size);
}

struct hoist_launchdarkly_membership_sink {
  hoist_status (*add)(const char *reference, bool is_included);
};

HOIST_API hoist_status hoist_launchdarkly_membership_sink_add(hoist_launchdarkly_membership_sink *sink, const char *reference, bool is_included) {
  return sink->add(reference, is_included);
}

/* Calls back with what became of a batch: see dispatcher.py. */
struct hoist_dispatch_receipt {
  void (*told)(hoist_status status, const char *message);
};

HOIST_API void hoist_dispatch_receipt_complete(hoist_dispatch_receipt *receipt, hoist_status status) { receipt->told(status, ""); }

HOIST_API void hoist_dispatch_receipt_answer(hoist_dispatch_receipt *receipt, hoist_status status, const char *message) {
  receipt->told(status, message);
}
