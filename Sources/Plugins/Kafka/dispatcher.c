#include "dispatcher.h"
#include "producer.h"
#include "record.h"
#include <hoist/plugins/kafka.h>
#include <stdio.h>

/* librdkafka looks for records whose time is over once a second. */
enum { SLACK_MS = 1000 };

static hoist_status carry(producer *own, const hoist_dispatch_batch *batch, hoist_dispatch_receipt *receipt, char *message,
                          size_t size) {
  char topic[TOPIC_BYTES + 1];
  if (batch->timeout_ms - SLACK_MS < own->options.delivery_timeout_ms) {
    /* Else the batch would come again while its record is still on its way. */
    snprintf(message, size, "option \"" HOIST_KAFKA_DELIVERY_TIMEOUT_MS "\" is %lld: it has to be less than %lld, for the client "
             "waits that long", (long long)own->options.delivery_timeout_ms, (long long)batch->timeout_ms - SLACK_MS);
    return HOIST_ERR_CONFIG;
  }
  if (!record_topic(topic, own->options.topic, batch)) {
    snprintf(message, size, "option \"" HOIST_KAFKA_TOPIC "\": the topic would be longer than %d bytes", TOPIC_BYTES);
    return HOIST_ERR_CONFIG;
  }
  rd_kafka_headers_t *headers = record_headers(batch);
  if (!headers) {
    snprintf(message, size, "out of memory");
    return HOIST_ERR_NETWORK;
  }
  return producer_send(own, topic, batch, headers, receipt, message, size);
}

static hoist_status dispatch(void *user_data, const hoist_dispatch_batch *batch, hoist_dispatch_receipt *receipt) {
  if (batch->struct_size < sizeof *batch) return HOIST_ERR_UNSUPPORTED; /* a library that does not say what a record needs */
  char message[1024];
  hoist_status status = carry(user_data, batch, receipt, message, sizeof message);
  if (status != HOIST_OK) hoist_dispatch_receipt_answer(receipt, status, message);
  return HOIST_OK;
}

static void release(void *user_data) { producer_free(user_data); }

hoist_status dispatcher_make(const char *text, hoist_dispatcher *table, char *message, size_t message_size) {
  options given;
  if (!options_read(&given, text, message, message_size)) {
    options_free(&given);
    return HOIST_ERR_CONFIG;
  }
  producer *own = producer_new(&given);
  if (!own) {
    options_free(&given);
    snprintf(message, message_size, "out of memory");
    return HOIST_ERR_LIMIT;
  }
  *table = (hoist_dispatcher){sizeof *table, own, dispatch, release};
  return HOIST_OK;
}
