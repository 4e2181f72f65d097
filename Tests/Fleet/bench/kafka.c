/* The rate of records by the plug-in beside that of a bare loop over librdkafka, in turns, in one run.
 *
 *   kafka PLUGIN RECORDS ROUNDS BYTES
 *
 * Both send the same values and headers to a cluster of librdkafka's own, with the same properties. The receipts are this program's:
 * what the client does beside it is measured elsewhere. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <hoist/plugin_object.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h> /* after the other */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WINDOW = 10000 }; /* records on their way at once: with more, both wait for the queue */

static atomic_long delivered, failed;

struct hoist_dispatch_receipt { int unused; };
static hoist_dispatch_receipt receipt;

__attribute__((visibility("default"))) void hoist_dispatch_receipt_complete(hoist_dispatch_receipt *one, hoist_status status) {
  (void)one;
  atomic_fetch_add(status == HOIST_OK ? &delivered : &failed, 1);
}

__attribute__((visibility("default"))) void hoist_dispatch_receipt_answer(hoist_dispatch_receipt *one, hoist_status status, const char *message) {
  fprintf(stderr, "%s\n", message);
  hoist_dispatch_receipt_complete(one, status);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void need(bool is_good, const char *what) {
  if (is_good) return;
  fprintf(stderr, "%s\n", what);
  exit(2);
}

static rd_kafka_t *producer(const char *const (*properties)[2], void (*report)(rd_kafka_t *, const rd_kafka_message_t *, void *)) {
  char reason[256] = "";
  rd_kafka_conf_t *conf = rd_kafka_conf_new();
  for (; (*properties)[0]; properties++)
    need(rd_kafka_conf_set(conf, (*properties)[0], (*properties)[1], reason, sizeof reason) == RD_KAFKA_CONF_OK, reason);
  if (report) rd_kafka_conf_set_dr_msg_cb(conf, report);
  rd_kafka_t *made = rd_kafka_new(RD_KAFKA_PRODUCER, conf, reason, sizeof reason);
  need(made, reason);
  return made;
}

static void count(rd_kafka_t *kafka, const rd_kafka_message_t *sent, void *opaque) {
  (void)kafka, (void)opaque;
  atomic_fetch_add(sent->err ? &failed : &delivered, 1);
}

static const char *const headers[][2] = {
    {"content-type", "application/json"},  {"hoist-service", "unleash"}, {"hoist-pipeline", "metrics"}, {"hoist-method", "POST"},
    {"hoist-path", "/api/client/metrics"}, {"hoist-key-hash", "5eed"},   {"hoist-attempt", "1"},        {"hoist-event-ids", "0123456789abcdef"},
};

static double bare(const char *brokers, const char *body, long records) {
  const char *const properties[][2] = {
      {"bootstrap.servers", brokers}, {"enable.idempotence", "true"}, {"batch.size", "65536"}, {"log_level", "0"}, {NULL, NULL}};
  rd_kafka_t *kafka = producer(properties, count);
  double began = now();
  for (long sent = 0; sent < records; sent++) {
    rd_kafka_headers_t *told = rd_kafka_headers_new(8);
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) rd_kafka_header_add(told, headers[i][0], -1, headers[i][1], -1);
    rd_kafka_producev(kafka, RD_KAFKA_V_TOPIC("hoist.unleash.metrics"), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_KEY("client", 6),
                      RD_KAFKA_V_VALUE((void *)body, strlen(body)), RD_KAFKA_V_HEADERS(told), RD_KAFKA_V_END);
    rd_kafka_poll(kafka, 0);
    while (sent - atomic_load(&delivered) >= WINDOW) rd_kafka_poll(kafka, 1);
  }
  while (atomic_load(&delivered) + atomic_load(&failed) < records) rd_kafka_poll(kafka, 1);
  double took = now() - began;
  rd_kafka_destroy(kafka);
  return (double)records / took;
}

static double plugged(const hoist_plugin *plugin, const char *brokers, const char *body, long records) {
  char options[512], message[512];
  snprintf(options, sizeof options, "{\"brokers\": \"%s\"}", brokers);
  hoist_dispatcher table = {.struct_size = sizeof table};
  need(plugin->create_dispatcher(options, &table, message, sizeof message) == HOIST_OK, message);
  const hoist_header type = {sizeof type, headers[0][0], headers[0][1]};
  const char *ids[] = {"0123456789abcdef"};
  hoist_dispatch_batch batch = {
      .struct_size = sizeof batch, .pipeline = "metrics", .method = "POST", .url = "", .headers = &type, .header_count = 1, .body = body,
      .body_size = strlen(body), .event_ids = ids, .event_count = 1, .service = "unleash", .path = "/api/client/metrics",
      .key_hash = "5eed", .subject = "client", .timeout_ms = 40000, .attempt = 1};
  const struct timespec short_while = {0, 100000};
  double began = now();
  for (long sent = 0; sent < records; sent++) {
    need(table.dispatch(table.user_data, &batch, &receipt) == HOIST_OK, "a batch was not taken");
    while (sent - atomic_load(&delivered) >= WINDOW) nanosleep(&short_while, NULL);
  }
  while (atomic_load(&delivered) + atomic_load(&failed) < records) nanosleep(&short_while, NULL);
  double took = now() - began;
  table.release(table.user_data);
  return (double)records / took;
}

static int by_size(const void *one, const void *other) {
  double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

int main(int argc, char **argv) {
  need(argc == 5, "usage: kafka PLUGIN RECORDS ROUNDS BYTES");
  long records = atol(argv[2]), rounds = atol(argv[3]);
  size_t bytes = (size_t)atol(argv[4]);
  void *object = dlopen(argv[1], RTLD_NOW);
  need(object, "the plug-in cannot be loaded");
  const hoist_plugin *(*entry)(uint32_t) = NULL;
  *(void **)&entry = dlsym(object, "hoist_plugin_entry");
  need(entry && rounds > 0, "this is no plug-in");
  const char *const none[][2] = {{"log_level", "0"}, {NULL, NULL}};
  rd_kafka_t *host = producer(none, NULL);
  rd_kafka_mock_cluster_t *cluster = rd_kafka_mock_cluster_new(host, 1);
  const char *brokers = rd_kafka_mock_cluster_bootstraps(cluster);
  char *body = calloc(1, bytes + 1);
  double *ratios = calloc((size_t)rounds, sizeof *ratios);
  need(body && ratios, "out of memory");
  memset(body, 'x', bytes);
  for (long round = 0; round < rounds; round++) {
    double rates[2];
    for (int way = 0; way < 2; way++) {
      atomic_store(&delivered, 0);
      rates[way] = way ? plugged(entry(HOIST_PLUGIN_ABI), brokers, body, records) : bare(brokers, body, records);
      need(atomic_load(&failed) == 0, "a record has failed");
    }
    ratios[round] = rates[1] / rates[0];
    printf("bare %.0f/s, plug-in %.0f/s, ratio %.2f\n", rates[0], rates[1], ratios[round]);
  }
  qsort(ratios, (size_t)rounds, sizeof *ratios, by_size);
  printf("ratio, median of %ld rounds of %ld records of %zu bytes: %.2f (0.70 is wanted)\n", rounds, records, bytes, ratios[rounds / 2]);
  rd_kafka_mock_cluster_destroy(cluster);
  rd_kafka_destroy(host);
  return ratios[rounds / 2] >= 0.7 ? 0 : 1;
}
