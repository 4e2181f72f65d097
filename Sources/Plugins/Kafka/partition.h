/* The records of one partition that have been read and are not done with, in their order. */
#ifndef PARTITION_H
#define PARTITION_H

#include <hoist/client.h>
#include <librdkafka/rdkafka.h>
#include <stdbool.h>

typedef enum record_state {
  RECORD_HELD,    /* to be given to the client, again or for the first time */
  RECORD_GIVEN,   /* the client has it */
  RECORD_REFUSED, /* to be given to the dead letters */
  RECORD_BURIED,  /* on its way there */
  RECORD_DONE,
} record_state;

typedef struct partition partition;

typedef struct record {
  struct hoist_kafka_forwarder *owner;
  partition *place; /* NULL: the partition is another consumer's by now */
  rd_kafka_message_t *message; /* NULL without a partition */
  record_state state;
  int64_t not_before_ms; /* of the clock of `now_ms` */
  char *reason;          /* why it is refused; NULL for no memory */
  void *refused;         /* what of it; NULL for all */
  size_t refused_size;
  struct record *next;
} record;

struct partition {
  char *topic;
  int32_t number;
  record *first, *last;
  int64_t done; /* the offset after the last one before which all are done; negative: not known */
  bool is_paused;
  partition *next;
};

partition *partition_new(const char *topic, int32_t number, int64_t done);
/* Its records have no owner then: those that are given or buried live on until they are answered, and all others end. */
void partition_free(partition *own);
/* NULL when memory has run out; `message` is taken in any case. */
record *partition_add(partition *own, struct hoist_kafka_forwarder *owner, rd_kafka_message_t *message);
/* Forgets what is done with at the front. True when the offset has moved. */
bool partition_advance(partition *own);
void record_free(record *own);

#endif
