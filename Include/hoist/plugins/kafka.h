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

#endif
