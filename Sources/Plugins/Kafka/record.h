/* A batch as a record of Kafka: topic, key, headers. */
#ifndef RECORD_H
#define RECORD_H

#include "options.h"
#include <hoist/plugin.h>

/* The topic of the batch's service and pipeline: false when it is longer than Kafka allows. */
bool record_topic(char topic[TOPIC_BYTES + 1], const char *wanted, const hoist_dispatch_batch *batch);

/* To be destroyed, or handed to a record; NULL when memory has run out. */
rd_kafka_headers_t *record_headers(const hoist_dispatch_batch *batch);

#endif
