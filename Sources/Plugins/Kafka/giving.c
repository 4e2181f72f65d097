/* A record to the client, and what becomes of it. */
#define _POSIX_C_SOURCE 200809L
#include "forwarder.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* After an answer that says "not now". */
enum { AGAIN_MS = 1000 };

/* The header's text; NULL when it is not there, or is no text. */
static const char *header(const rd_kafka_headers_t *headers, const char *name) {
  const void *value = NULL;
  size_t size = 0;
  if (!headers || rd_kafka_header_get_last(headers, name, &value, &size) || !value) return NULL;
  return memchr(value, 0, size) ? NULL : value; /* librdkafka ends it with a NUL */
}

void answer_free(answer *own) {
  if (!own) return;
  free(own->message);
  free(own->refused);
  free(own);
}

/* On a thread of the client's. */
static void answered(void *user_data, const hoist_forward_result *result) {
  record *one = user_data;
  forwarder *own = one->owner;
  answer *made = calloc(1, sizeof *made);
  if (made) {
    *made = (answer){.of = one, .status = result->status, .message = strdup(result->message)};
    if (result->refused && result->refused_size && (made->refused = malloc(result->refused_size))) {
      memcpy(made->refused, result->refused, result->refused_size);
      made->refused_size = result->refused_size;
    }
  } /* Without memory it counts as under way until the end, and is another's then. */
  pthread_mutex_lock(&own->lock);
  if (own->is_over) {
    record_free(one);
    answer_free(made);
  } else if (made) {
    if (own->last_answer) own->last_answer->next = made;
    else own->first_answer = made;
    own->last_answer = made;
  }
  pthread_cond_broadcast(&own->changed);
  if (own->queue) rd_kafka_queue_yield(own->queue);
  pthread_mutex_unlock(&own->lock);
  forwarder_let_go(own);
}

void give(forwarder *own, record *one) {
  rd_kafka_headers_t *headers = NULL;
  char reason[128];
  rd_kafka_message_headers(one->message, &headers);
  hoist_forward_batch batch = HOIST_FORWARD_BATCH_INIT;
  const struct { const char *name, **place; } wanted[] = {
      {"hoist-service", &batch.service}, {"hoist-pipeline", &batch.pipeline}, {"hoist-method", &batch.method},
      {"hoist-path", &batch.path},       {"hoist-key-hash", &batch.key_hash}, {"hoist-event-ids", &batch.id},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
    *wanted[i].place = header(headers, wanted[i].name);
    if (*wanted[i].place) continue;
    snprintf(reason, sizeof reason, "it is no batch of a client's: the header %s is missing, or no text", wanted[i].name);
    refuse(own, one, reason, NULL, 0);
    return;
  }
  batch.body = one->message->payload ? one->message->payload : "";
  batch.body_size = one->message->len;
  pthread_mutex_lock(&own->lock);
  own->holders++;
  pthread_mutex_unlock(&own->lock);
  one->state = RECORD_GIVEN;
  own->under_way++;
  hoist_status status = hoist_client_forward(own->client, &batch, answered, one);
  if (status == HOIST_OK) return;
  own->under_way--;
  one->state = RECORD_HELD;
  forwarder_let_go(own);
  if (status == HOIST_ERR_ARGUMENT) refuse(own, one, "its headers are not UTF-8, or it is too large", NULL, 0);
  if (status == HOIST_ERR_STATE) forwarder_trouble(own, "the client is closed");
  if (status != HOIST_ERR_LIMIT) one->not_before_ms = now_ms() + AGAIN_MS;
}

void record_ends(forwarder *own, record *one, record_state state) {
  own->under_way--;
  one->state = state;
  one->not_before_ms = state == RECORD_DONE ? 0 : now_ms() + AGAIN_MS;
  if (!one->place) record_free(one); /* another consumer has it */
}

static void hear(forwarder *own, answer *heard) {
  record *one = heard->of;
  const char *why = heard->message ? heard->message : "";
  switch (heard->status) {
  case HOIST_OK:
    record_ends(own, one, RECORD_DONE);
    pthread_mutex_lock(&own->lock);
    own->figures.accepted++;
    pthread_mutex_unlock(&own->lock);
    break;
  case HOIST_ERR_NETWORK:
  case HOIST_ERR_CANCELLED:
    forwarder_trouble(own, why);
    record_ends(own, one, RECORD_HELD);
    break;
  default:
    if (!one->place) { /* the other consumer finds out */
      record_ends(own, one, RECORD_DONE);
      break;
    }
    own->under_way--;
    refuse(own, one, why, heard->refused, heard->refused_size);
    heard->refused = NULL;
  }
  answer_free(heard);
}

void hear_answers(forwarder *own, int64_t until_ms) {
  struct timespec until = {until_ms / 1000, until_ms % 1000 * 1000000};
  pthread_mutex_lock(&own->lock);
  if (until_ms > 0 && !own->first_answer) pthread_cond_timedwait(&own->changed, &own->lock, &until);
  answer *heard = own->first_answer;
  own->first_answer = own->last_answer = NULL;
  pthread_mutex_unlock(&own->lock);
  while (heard) {
    answer *next = heard->next;
    hear(own, heard);
    heard = next;
  }
}
