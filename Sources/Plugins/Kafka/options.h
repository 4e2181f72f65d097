/* What a host gives as options: see hoist/plugins/kafka.h. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stdint.h>

enum { TOPIC_BYTES = 249, TOPICS_BYTES = 4096 }; /* the first is Kafka's own limit */
#define DEAD_LETTERS_SUFFIX ".refused"

typedef struct options {
  char *brokers;
  bool forwards;
  char topic[TOPICS_BYTES + 1];          /* with its places; several with commas, where it forwards */
  char group[256], dead_letters[TOPIC_BYTES + 1];
  int64_t delivery_timeout_ms, message_max_bytes;
  rd_kafka_conf_t *conf; /* all of it as librdkafka knows it: to be copied for each producer */
} options;

/* `made` is to be freed in any case. False: the reason is in `message`. */
bool options_read(options *made, const char *text, char *message, size_t message_size);
/* The same for the way out. */
bool options_read_forward(options *made, const char *text, char *message, size_t message_size);
void options_free(options *own);

#endif
