#include "record.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool record_topic(char topic[TOPIC_BYTES + 1], const char *wanted, const hoist_dispatch_batch *batch) {
  size_t used = 0;
  while (*wanted) {
    char one[2] = {*wanted, 0};
    const char *part = one;
    if (*wanted != '{') wanted++;
    else {
      part = wanted[1] == 's' ? batch->service : batch->pipeline;
      wanted = strchr(wanted, '}') + 1;
    }
    size_t count = strlen(part);
    if (used + count > TOPIC_BYTES) return false;
    memcpy(topic + used, part, count);
    used += count;
  }
  topic[used] = 0;
  /* A service of the host's own may have any name. */
  for (char *at = topic; *at; at++)
    if (!strchr("._-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", *at)) *at = '-';
  return true;
}

static const char *content_type(const hoist_dispatch_batch *batch) {
  for (size_t i = 0; i < batch->header_count; i++) {
    const hoist_header *header = HOIST_AT(hoist_header, batch->headers, i);
    if (strcasecmp(header->name, "content-type") == 0) return header->value;
  }
  return "application/json";
}

static char *joined_ids(const hoist_dispatch_batch *batch) {
  size_t size = 1;
  for (size_t i = 0; i < batch->event_count; i++) size += strlen(batch->event_ids[i]) + 1;
  char *text = malloc(size), *end = text;
  if (!text) return NULL;
  *end = 0;
  for (size_t i = 0; i < batch->event_count; i++) {
    size_t count = strlen(batch->event_ids[i]);
    if (i) *end++ = ',';
    memcpy(end, batch->event_ids[i], count + 1);
    end += count;
  }
  return text;
}

rd_kafka_headers_t *record_headers(const hoist_dispatch_batch *batch) {
  char *ids = joined_ids(batch);
  if (!ids) return NULL;
  char attempt[12];
  snprintf(attempt, sizeof attempt, "%d", (int)batch->attempt);
  const char *const told[][2] = {
      {"content-type", content_type(batch)}, {"hoist-service", batch->service},    {"hoist-pipeline", batch->pipeline},
      {"hoist-method", batch->method},       {"hoist-path", batch->path},          {"hoist-key-hash", batch->key_hash},
      {"hoist-attempt", attempt},            {"hoist-event-ids", ids},
  };
  rd_kafka_headers_t *headers = rd_kafka_headers_new(sizeof told / sizeof told[0]);
  for (size_t i = 0; headers && i < sizeof told / sizeof told[0]; i++) {
    if (!rd_kafka_header_add(headers, told[i][0], -1, told[i][1], (ssize_t)strlen(told[i][1]))) continue;
    rd_kafka_headers_destroy(headers);
    headers = NULL;
  }
  free(ids);
  return headers;
}
