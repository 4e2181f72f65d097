/* One idempotent producer of librdkafka's, made when the first record comes and anew when it is spent, and the one thread that
 * hears its reports. */
#ifndef PRODUCER_H
#define PRODUCER_H

#include "options.h"
#include <hoist/plugin.h>
#include <pthread.h>

typedef struct producer {
  options options;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  /* Guarded by `lock`. */
  rd_kafka_t *kafka; /* NULL: none yet, or it is spent */
  bool has_thread, is_closing;
  pthread_t thread;
  char name[17]; /* of this producer, at random: the key of records that are of no one person */
  /* The thread's: what is wrong with the connection. */
  rd_kafka_resp_err_t trouble;
  char trouble_text[256];
  struct producer *previous, *next; /* of the process: see forks.c */
} producer;

/* Takes the options. NULL when memory has run out. */
producer *producer_new(const options *given);
/* Ends it, in bounded time: what waits is not sent any more. */
void producer_free(producer *own);

/* Hands a record over; never waits. HOIST_OK: the receipt will be answered. Else it is still the caller's, and `message` says why.
 * `headers` are taken in any case. */
hoist_status producer_send(producer *own, const char *topic, const hoist_dispatch_batch *batch, rd_kafka_headers_t *headers,
                           hoist_dispatch_receipt *receipt, char *message, size_t message_size);

/* All of the process. */
void producers_add(producer *one);
void producers_remove(producer *one);

#endif
