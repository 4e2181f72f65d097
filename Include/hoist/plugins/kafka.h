/**
 * @file
 * The plug-in `libhoist-kafka.so`: what a client records goes to Kafka in place of the service, by librdkafka.
 *
 *     hoist_config_load_plugin(config, "/usr/lib/hoist/libhoist-kafka.so", "{\"brokers\": \"kafka1:9092,kafka2:9092\"}", &error);
 *
 * Options are a JSON object with the members below; an unknown member, a wrong type or a value out of range fails the loading,
 * with the member's name. Nothing is connected before there is something to send.
 *
 * A record
 * - One batch of a pipeline is one record. Its value is the body that the service would get.
 * - Its key is the person, where all events of the batch speak of one; else a name of this process's producer, at random, so that
 *   the records of one process keep their order and those of many spread over the partitions.
 * - Its headers: `content-type`; `hoist-service`, `hoist-pipeline`, `hoist-method`, `hoist-path`, `hoist-key-hash`,
 *   `hoist-attempt` and, with commas, `hoist-event-ids`, as of hoist_dispatch_batch. No key, no token.
 *
 * When it is delivered
 * - When its delivery report says that all replicas in sync have it. The producer is idempotent: what librdkafka itself sends
 *   again is there once. A batch that has failed for the client, because no broker answered within
 *   HOIST_KAFKA_DELIVERY_TIMEOUT_MS or because the process ended, comes again with the same ids in `hoist-event-ids` and a greater
 *   `hoist-attempt`; readers that count are to drop ids that they have seen.
 * - Refused for good, dropped and counted: what the brokers call an invalid record. Divided: what is larger than
 *   HOIST_KAFKA_MESSAGE_MAX_BYTES or the brokers allow. Kept and tried again, slowly, with an error in the log: a missing topic, a
 *   user without the right to write, a wrong password. Kept and tried again at the pace of failures: everything else.
 * - What librdkafka would log is not written anywhere; what keeps records back is in the client's log.
 *
 * Consent
 * - What is in a topic cannot be called back: a person who refuses consent later, and a purge, reach only what the client still
 *   has. A client gives a batch to the plug-in only when all of its events may go; from then on they count as sent.
 *
 * Fork, threads, end
 * - A forked child makes a producer of its own with its first batch; its parent sends what its parent has.
 * - No call waits for a broker. The end of the last client waits up to 4 seconds for what is on its way; what was not sent
 *   stays in the client's store.
 */
#ifndef HOIST_PLUGINS_KAFKA_H
#define HOIST_PLUGINS_KAFKA_H

#include "../client.h"
#include "../plugin_object.h"

/** Text, required: "HOST:PORT", or several of them with commas, of which one that answers is enough. */
#define HOIST_KAFKA_BROKERS "brokers"
/** Text: letters of ASCII, digits, ".", "_", "-", and the places {service} and {pipeline}; default "hoist.{service}.{pipeline}". */
#define HOIST_KAFKA_TOPIC "topic"
/** Number of milliseconds from 1000 to 600000: how long a record may take; default 10000. It has to be a second less than the client
 *  waits for an answer (its property `network.timeout_ms` and 10 seconds): else nothing is sent, and the log says so. */
#define HOIST_KAFKA_DELIVERY_TIMEOUT_MS "delivery_timeout_ms"
/** Number from 1000 to 1000000000: bytes of a record, key and headers included; default 1000000. The brokers' own limit is the
 *  topic's `max.message.bytes`. */
#define HOIST_KAFKA_MESSAGE_MAX_BYTES "message_max_bytes"
/** Object: properties of librdkafka's by their names, e.g. {"security.protocol": "sasl_ssl", "sasl.mechanism": "SCRAM-SHA-512",
 *  "sasl.username": "shop", "sasl.password": "…", "ssl.ca.location": "/etc/kafka/ca.pem", "compression.type": "lz4"}; texts, whole
 *  numbers, true or false. Those that the options above or this page's promises take are refused. No secret is shown in a message. */
#define HOIST_KAFKA_LIBRDKAFKA "librdkafka"

/* ---- The way out ------------------------------------------------------------------------------------------- */

/** Text, required to forward: the consumer group. Its members share the partitions, and go on where another has ended. */
#define HOIST_KAFKA_GROUP "group"
/** Text, to forward: the topic of the records that are refused for good; default: a record's own topic and ".refused". */
#define HOIST_KAFKA_DEAD_LETTERS "dead_letters"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A member of a consumer group that reads what the dispatcher above has written, and has it delivered by a client of the same
 * service and key, with hoist_client_forward(). Where a service's keys are told apart by more, as Unleash's are by mode and address,
 * that has to be the same, too.
 *
 * - A record is committed when the service has accepted it, or when the dead letters have it; never before an earlier one of its
 *   partition. One that was delivered and not committed, as when the process is killed, comes again, with the same ids.
 * - To the dead letters goes what the service refuses for good, as far as it could be told apart, and what is none of the
 *   client's: with the record's key and headers, and `hoist-reason`. Nothing is committed while they cannot be written.
 * - While the service or the client says "later", the partition is not read on.
 * - When partitions go to another member, what is under way has 3 seconds to end.
 * - It is its process's: a forked child must not use it.
 */
typedef struct hoist_kafka_forwarder hoist_kafka_forwarder;

/** Counters since the start, but for the three that tell of now. */
typedef struct hoist_kafka_figures {
    size_t struct_size;
    uint64_t received;      /**< records that were read */
    uint64_t accepted;      /**< by the service, as a whole */
    uint64_t refused;       /**< records that are in the dead letters */
    int64_t waiting;        /**< now: read, and not done with */
    int64_t lag;            /**< now: records of this member's partitions that are not done with, as far as the brokers have said */
    int64_t partitions;     /**< now: how many it has */
    char last_reason[256];  /**< of the last dead letter; "" for none. One line without secrets, as the next */
    char trouble[512];      /**< what has kept records back last; "" for nothing */
} hoist_kafka_figures;

#define HOIST_KAFKA_FIGURES_INIT { sizeof(hoist_kafka_figures), 0, 0, 0, 0, 0, 0, "", "" }

/**
 * Starts one. The three functions are found with dlsym() in the shared object, by a host that has opened a client without the
 * dispatcher.
 *
 * @param client  Lent until hoist_kafka_forward_stop() has returned; it is closed after that, not before.
 * @param options JSON as at the top of this page; HOIST_KAFKA_TOPIC is required, without places, and may name several with commas.
 *                HOIST_KAFKA_DELIVERY_TIMEOUT_MS and HOIST_KAFKA_MESSAGE_MAX_BYTES are the dead letters'. Borrowed for the call.
 * @param message NULL, or receives the reason of a failure, in one line that ends with NUL.
 * @return HOIST_OK; HOIST_ERR_ARGUMENT for NULL; HOIST_ERR_CONFIG with the option in the message; HOIST_ERR_LIMIT without memory.
 */
HOIST_PLUGIN_EXPORT hoist_status hoist_kafka_forward_start(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE options,
                                                           hoist_kafka_forwarder *HOIST_NULLABLE *HOIST_NULLABLE forwarder,
                                                           char *HOIST_NULLABLE message, size_t message_size);

/** Any thread. HOIST_ERR_ARGUMENT for NULL, and for another size of `figures`. */
HOIST_PLUGIN_EXPORT hoist_status hoist_kafka_forward_figures(hoist_kafka_forwarder *HOIST_NULLABLE forwarder,
                                                             hoist_kafka_figures *HOIST_NULLABLE figures);

/**
 * Reads no more, waits for what is under way, commits, leaves the group, and frees; once.
 *
 * @param timeout_ms Longest wait for what is under way; negative waits without limit. Leaving the group takes a second more at the
 *                   longest: without brokers the group finds out by its session's limit.
 * @param last       NULL, or receives the last figures.
 * @return HOIST_OK; HOIST_ERR_TIMEOUT when something that was read is left: the group's next member has it again; HOIST_ERR_STATE in
 *         a forked child, whose parent has the member.
 */
HOIST_PLUGIN_EXPORT hoist_status hoist_kafka_forward_stop(hoist_kafka_forwarder *HOIST_NULLABLE forwarder, int64_t timeout_ms,
                                                          hoist_kafka_figures *HOIST_NULLABLE last);

#ifdef __cplusplus
}
#endif

#endif
