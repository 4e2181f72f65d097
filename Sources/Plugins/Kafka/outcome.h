/* Each error of Kafka: what it means for the batch, and its sentence. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include <hoist/base.h>
#include <librdkafka/rdkafka.h>

/* The status that a receipt is answered with. */
hoist_status outcome_of(rd_kafka_resp_err_t error);
/* What a person is to do about it; "" for nothing. */
const char *outcome_advice(rd_kafka_resp_err_t error);

#endif
