#define _POSIX_C_SOURCE 200809L
#include "partition.h"
#include <stdlib.h>
#include <string.h>

partition *partition_new(const char *topic, int32_t number, int64_t done) {
  partition *own = calloc(1, sizeof *own);
  if (!own) return NULL;
  own->topic = strdup(topic);
  own->number = number;
  own->done = done;
  if (own->topic) return own;
  free(own);
  return NULL;
}

void record_free(record *own) {
  if (own->message) rd_kafka_message_destroy(own->message);
  free(own->reason);
  free(own->refused);
  free(own);
}

void partition_free(partition *own) {
  for (record *one = own->first; one;) {
    record *next = one->next;
    one->place = NULL;
    one->next = NULL;
    rd_kafka_message_destroy(one->message); /* what has the record has a copy */
    one->message = NULL;
    if (one->state != RECORD_GIVEN && one->state != RECORD_BURIED) record_free(one);
    one = next;
  }
  free(own->topic);
  free(own);
}

record *partition_add(partition *own, struct hoist_kafka_forwarder *owner, rd_kafka_message_t *message) {
  record *made = calloc(1, sizeof *made);
  if (!made) {
    rd_kafka_message_destroy(message);
    return NULL;
  }
  *made = (record){.owner = owner, .place = own, .message = message};
  if (own->last) own->last->next = made;
  else own->first = made;
  own->last = made;
  return made;
}

bool partition_advance(partition *own) {
  bool has_moved = false;
  while (own->first && own->first->state == RECORD_DONE) {
    record *gone = own->first;
    own->first = gone->next;
    if (!own->first) own->last = NULL;
    own->done = gone->message->offset + 1;
    has_moved = true;
    record_free(gone);
  }
  return has_moved;
}
