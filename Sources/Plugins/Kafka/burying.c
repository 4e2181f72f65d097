/* A record to the dead letters. */
#define _POSIX_C_SOURCE 200809L
#include "forwarder.h"
#include "outcome.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void refuse(forwarder *own, record *one, const char *reason, void *refused, size_t size) {
  one->reason = strdup(reason);
  one->refused = refused;
  one->refused_size = size;
  one->state = RECORD_REFUSED;
  bury(own, one);
}

static rd_kafka_headers_t *headers_of(const record *one) {
  rd_kafka_headers_t *headers = NULL, *own;
  const char *reason = one->reason ? one->reason : "";
  if (rd_kafka_message_headers(one->message, &headers)) own = rd_kafka_headers_new(1);
  else own = rd_kafka_headers_copy(headers);
  if (own) rd_kafka_header_add(own, "hoist-reason", -1, reason, (ssize_t)strlen(reason));
  return own;
}

void bury(forwarder *own, record *one) {
  char topic[TOPIC_BYTES + sizeof DEAD_LETTERS_SUFFIX];
  const rd_kafka_message_t *told = one->message;
  if (own->options.dead_letters[0]) snprintf(topic, sizeof topic, "%s", own->options.dead_letters);
  else snprintf(topic, sizeof topic, "%s%s", rd_kafka_topic_name(told->rkt), DEAD_LETTERS_SUFFIX);
  rd_kafka_headers_t *headers = headers_of(one);
  rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR__QUEUE_FULL; /* for want of memory, likewise */
  if (headers)
    error = rd_kafka_producev(own->producer, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                              RD_KAFKA_V_KEY(told->key, told->key_len),
                              RD_KAFKA_V_VALUE(one->refused ? one->refused : told->payload, one->refused ? one->refused_size : told->len),
                              RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_OPAQUE(one), RD_KAFKA_V_END);
  own->under_way++;
  one->state = RECORD_BURIED;
  if (!error) return;
  if (headers) rd_kafka_headers_destroy(headers);
  forwarder_trouble(own, rd_kafka_err2str(error));
  record_ends(own, one, RECORD_REFUSED);
}

void buried(rd_kafka_t *producer, const rd_kafka_message_t *sent, void *opaque) {
  (void)producer;
  forwarder *own = opaque;
  record *one = sent->_private;
  if (sent->err) {
    char text[512];
    snprintf(text, sizeof text, "dead letters, topic %s: %s%s", rd_kafka_topic_name(sent->rkt), rd_kafka_err2str(sent->err),
             outcome_advice(sent->err));
    forwarder_trouble(own, text);
  } else {
    pthread_mutex_lock(&own->lock);
    own->figures.refused++;
    snprintf(own->figures.last_reason, sizeof own->figures.last_reason, "%s", one->reason ? one->reason : "");
    pthread_mutex_unlock(&own->lock);
  }
  record_ends(own, one, sent->err ? RECORD_REFUSED : RECORD_DONE);
}
