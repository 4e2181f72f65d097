#include "outcome.h"

hoist_status outcome_of(rd_kafka_resp_err_t error) {
  switch ((int)error) {
  case RD_KAFKA_RESP_ERR_NO_ERROR: return HOIST_OK;
  case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
  case RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE:
  case RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE: return HOIST_ERR_LIMIT;
  /* The same bytes would be refused again. */
  case RD_KAFKA_RESP_ERR_INVALID_RECORD:
  case RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP:
  case RD_KAFKA_RESP_ERR_UNSUPPORTED_FOR_MESSAGE_FORMAT: return HOIST_ERR_ARGUMENT;
  /* Not the record's fault: it waits until this is mended. */
  case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
  case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
  case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
  case RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION:
  case RD_KAFKA_RESP_ERR_POLICY_VIOLATION:
  case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
  case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
  case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
  case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
  case RD_KAFKA_RESP_ERR__AUTHENTICATION: return HOIST_ERR_CONFIG;
  default: return HOIST_ERR_NETWORK;
  }
}

const char *outcome_advice(rd_kafka_resp_err_t error) {
  switch ((int)error) {
  case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
  case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
  case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART: return "; create the topic, or name another by option \"topic\"";
  case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED: return "; let the client's user write to the topic";
  case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
    return "; let the client's user write to the topic, or give it the right IdempotentWrite";
  case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
  case RD_KAFKA_RESP_ERR__AUTHENTICATION: return "; check user, password and mechanism";
  case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    return "; raise option \"message_max_bytes\" and the topic's max.message.bytes, or have fewer events in a batch";
  default: return "";
  }
}
