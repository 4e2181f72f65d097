#include "producer.h"
#include "outcome.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* How long the end waits for the answers to what is on its way to a broker. */
enum { CLOSE_MS = 2000 };

/* ---- What librdkafka says: on the thread ---- */

static void note_trouble(rd_kafka_t *kafka, int error, const char *reason, void *opaque) {
  (void)kafka;
  producer *own = opaque;
  /* It says no more than what was said of each broker. */
  if (error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN && own->trouble) return;
  own->trouble = error;
  snprintf(own->trouble_text, sizeof own->trouble_text, "%s", reason);
}

/* The first cause: what has ended the producer, or what keeps it from its brokers. */
static rd_kafka_resp_err_t cause_of(producer *own, rd_kafka_t *kafka, const rd_kafka_message_t *sent, char *text, size_t size) {
  rd_kafka_resp_err_t fatal = rd_kafka_fatal_error(kafka, text, size);
  if (fatal) return fatal;
  if (sent->err == RD_KAFKA_RESP_ERR__MSG_TIMED_OUT) {
    snprintf(text, size, "no broker has taken the record within %d ms%s%s", (int)own->options.delivery_timeout_ms,
             own->trouble ? ": " : "", own->trouble ? own->trouble_text : "");
    if (own->trouble) return own->trouble;
  } else {
    snprintf(text, size, "%s", rd_kafka_err2str(sent->err));
  }
  return sent->err;
}

static void report(rd_kafka_t *kafka, const rd_kafka_message_t *sent, void *opaque) {
  producer *own = opaque;
  hoist_dispatch_receipt *receipt = sent->_private;
  if (!sent->err) {
    own->trouble = RD_KAFKA_RESP_ERR_NO_ERROR;
    hoist_dispatch_receipt_complete(receipt, HOIST_OK);
    return;
  }
  char cause[512], message[1024];
  rd_kafka_resp_err_t error = cause_of(own, kafka, sent, cause, sizeof cause);
  snprintf(message, sizeof message, "Kafka, topic %s: %s%s", sent->rkt ? rd_kafka_topic_name(sent->rkt) : "", cause,
           outcome_advice(error));
  hoist_dispatch_receipt_answer(receipt, outcome_of(error), message);
}

/* ---- Its life ---- */

/* Every record is reported on. What no broker has seen is given back at once; what may have arrived is waited for. */
static void end(rd_kafka_t *kafka, int wait_ms) {
  rd_kafka_purge(kafka, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_NON_BLOCKING);
  rd_kafka_flush(kafka, wait_ms);
  rd_kafka_purge(kafka, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING);
  rd_kafka_flush(kafka, CLOSE_MS);
  rd_kafka_destroy(kafka);
}

static void *hear(void *opaque) {
  producer *own = opaque;
  for (;;) {
    pthread_mutex_lock(&own->lock);
    while (!own->kafka && !own->is_closing) pthread_cond_wait(&own->changed, &own->lock);
    rd_kafka_t *kafka = own->kafka;
    bool is_closing = own->is_closing;
    pthread_mutex_unlock(&own->lock);
    if (is_closing) {
      if (kafka) end(kafka, CLOSE_MS);
      return NULL;
    }
    rd_kafka_poll(kafka, -1); /* until there is something, or `wake` */
    char text[8];
    if (!rd_kafka_fatal_error(kafka, text, sizeof text)) continue;
    /* Such a producer takes nothing any more: the next record makes another. */
    pthread_mutex_lock(&own->lock);
    own->kafka = NULL;
    pthread_mutex_unlock(&own->lock);
    end(kafka, 0);
    own->trouble = RD_KAFKA_RESP_ERR_NO_ERROR;
  }
}

static bool start_thread(producer *own) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  own->has_thread = pthread_create(&own->thread, NULL, hear, own) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return own->has_thread;
}

/* Inside the lock, which keeps the producer there. The thread hears of it also when it is about to wait. */
static void wake(producer *own) {
  pthread_cond_signal(&own->changed);
  if (!own->kafka) return;
  rd_kafka_queue_t *queue = rd_kafka_queue_get_main(own->kafka);
  rd_kafka_queue_yield(queue);
  rd_kafka_queue_destroy(queue);
}

/* Inside the lock. */
static bool make(producer *own, char *message, size_t size) {
  if (own->kafka) return true;
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != sizeof random) random = (uintptr_t)own ^ (uint64_t)rand();
  snprintf(own->name, sizeof own->name, "%016llx", (unsigned long long)random);
  rd_kafka_conf_t *conf = rd_kafka_conf_dup(own->options.conf);
  rd_kafka_conf_set_opaque(conf, own);
  rd_kafka_conf_set_error_cb(conf, note_trouble);
  rd_kafka_conf_set_dr_msg_cb(conf, report);
  char reason[256];
  own->kafka = rd_kafka_new(RD_KAFKA_PRODUCER, conf, reason, sizeof reason);
  if (!own->kafka) {
    rd_kafka_conf_destroy(conf);
    snprintf(message, size, "no producer of Kafka's can be made: %s", reason);
    return false;
  }
  wake(own);
  return true;
}

hoist_status producer_send(producer *own, const char *topic, const hoist_dispatch_batch *batch, rd_kafka_headers_t *headers,
                           hoist_dispatch_receipt *receipt, char *message, size_t message_size) {
  hoist_status status = HOIST_ERR_CONFIG;
  rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
  pthread_mutex_lock(&own->lock);
  if (!own->has_thread && !start_thread(own)) {
    status = HOIST_ERR_NETWORK;
    snprintf(message, message_size, "no thread for Kafka's reports can be started");
  } else if (make(own, message, message_size)) {
    const char *key = batch->subject[0] ? batch->subject : own->name;
    error = rd_kafka_producev(own->kafka, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                              RD_KAFKA_V_KEY(key, strlen(key)), RD_KAFKA_V_VALUE((void *)batch->body, batch->body_size),
                              RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_OPAQUE(receipt), RD_KAFKA_V_END);
    status = outcome_of(error);
    if (!error) headers = NULL;
    else
      snprintf(message, message_size, "Kafka, topic %s: a record of %zu bytes: %s%s", topic, batch->body_size,
               rd_kafka_err2str(error), outcome_advice(error));
  }
  pthread_mutex_unlock(&own->lock);
  if (headers) rd_kafka_headers_destroy(headers);
  return status;
}

producer *producer_new(const options *given) {
  producer *own = calloc(1, sizeof *own);
  if (!own) return NULL;
  own->options = *given;
  pthread_mutex_init(&own->lock, NULL);
  pthread_cond_init(&own->changed, NULL);
  producers_add(own);
  return own;
}

void producer_free(producer *own) {
  producers_remove(own);
  pthread_mutex_lock(&own->lock);
  own->is_closing = true;
  wake(own);
  pthread_mutex_unlock(&own->lock);
  if (own->has_thread) pthread_join(own->thread, NULL);
  pthread_cond_destroy(&own->changed);
  pthread_mutex_destroy(&own->lock);
  options_free(&own->options);
  free(own);
}
