/* What a host gives as options: see hoist/plugins/kafka.h. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stdint.h>

enum { TOPIC_BYTES = 249 }; /* Kafka's own limit */

typedef struct options {
  char *brokers;
  char topic[TOPIC_BYTES + 1]; /* with its places */
  int64_t delivery_timeout_ms, message_max_bytes;
  rd_kafka_conf_t *conf; /* all of it as librdkafka knows it: to be copied for each producer */
} options;

/* `made` is to be freed in any case. False: the reason is in `message`. */
bool options_read(options *made, const char *text, char *message, size_t message_size);
void options_free(options *own);

#endif
