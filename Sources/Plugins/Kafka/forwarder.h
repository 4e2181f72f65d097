/* A member of a consumer group that gives what it reads to a client, and commits what the client has delivered. Everything but
 * `answers` and `figures` is its thread's. */
#ifndef FORWARDER_H
#define FORWARDER_H

#include "options.h"
#include "partition.h"
#include <hoist/plugins/kafka.h>
#include <pthread.h>
#include <sys/types.h>

typedef struct answer {
  record *of;
  hoist_status status;
  char *message;
  void *refused;
  size_t refused_size;
  struct answer *next;
} answer;

typedef struct hoist_kafka_forwarder forwarder;

struct hoist_kafka_forwarder {
  options options;
  hoist_client *client;
  rd_kafka_t *consumer, *producer;
  partition *partitions;
  int under_way; /* records that the client or the dead letters have */
  int64_t looked_ms;
  pid_t process;

  pthread_mutex_t lock;
  pthread_cond_t changed;
  /* Guarded by `lock`. */
  answer *first_answer, *last_answer;
  hoist_kafka_figures figures;
  rd_kafka_queue_t *queue; /* NULL once the consumer is closed */
  int64_t stop_by_ms;      /* negative: not yet */
  bool is_over;            /* the thread does nothing more for the host */
  int holders;             /* the host, the thread, and each record that the client has */
};

int64_t now_ms(void);
void forwarder_let_go(forwarder *own);
void forwarder_trouble(forwarder *own, const char *text);

/* giving.c: a record to the client, and what becomes of it. */
void answer_free(answer *own);
void give(forwarder *own, record *one);
/* Takes the answers that have come; waits for one until then when there is none. */
void hear_answers(forwarder *own, int64_t until_ms);

/* burying.c: a record to the dead letters. */
void refuse(forwarder *own, record *one, const char *reason, void *refused, size_t size);
void bury(forwarder *own, record *one);
void buried(rd_kafka_t *producer, const rd_kafka_message_t *sent, void *opaque);

/* A record has come to its end: it is done with, or to be given again after a while. */
void record_ends(forwarder *own, record *one, record_state state);

#endif
