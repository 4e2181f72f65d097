/* Events of a provider plug-in across processes: provider_events FOLDER record COUNT | deliver.
 *
 * "record" records so many events, each in the store before the call returns, and kills itself before anything is sent.
 * "deliver" prints what the network gets, one line for each event: its id, and what was recorded. */
#define _POSIX_C_SOURCE 200809L
#include <hoist/hoist.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool delivers;
static hoist_provider_host *host;

static void require(hoist_status status, const char *what) {
  if (status == HOIST_OK) return;
  fprintf(stderr, "%s: %s\n", what, hoist_status_name(status));
  exit(1);
}

static hoist_status create(void *user_data, hoist_provider_host *own_host, void **instance, char *message, size_t size) {
  (void)user_data, (void)instance, (void)message, (void)size;
  host = own_host;
  return HOIST_OK;
}
static hoist_status track(void *instance, const hoist_provider_event *event) {
  (void)instance;
  return hoist_provider_host_record(host, "events", NULL, event->key, strlen(event->key));
}
static hoist_status encode(void *instance, const hoist_provider_batch *batch, hoist_request_sink *sink) {
  char *body = calloc(batch->row_count, 200);
  (void)instance;
  for (size_t index = 0; index < batch->row_count; index++) {
    const hoist_event_row *row = HOIST_AT(hoist_event_row, batch->rows, index);
    snprintf(body + strlen(body), 200, "%s %.*s\n", row->id, (int)row->payload_size, (const char *)row->payload);
  }
  hoist_http_request request = {.struct_size = sizeof request, .method = "POST", .url = "http://events.example/",
                                .body = body, .body_size = strlen(body)};
  hoist_status status = hoist_request_sink_set(sink, &request);
  free(body);
  return status;
}

static hoist_status carry(void *user_data, const hoist_http_request *request, hoist_http_exchange *exchange) {
  (void)user_data;
  if (delivers) printf("%.*s", (int)request->body_size, (const char *)request->body);
  (void)hoist_http_exchange_respond(exchange, delivers ? 200 : 503, NULL, 0, NULL, 0);
  hoist_http_exchange_release(exchange);
  return HOIST_OK;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  delivers = strcmp(argv[2], "deliver") == 0;
  const hoist_provider_pipeline pipeline = {.struct_size = sizeof pipeline, .name = "events", .flush_interval_ms = 3600000,
                                            .batch_count = 7};
  const hoist_provider table = {.struct_size = sizeof table, .name = "surviving", .pipelines = &pipeline,
                                .pipeline_count = 1, .create = create, .track = track, .encode = encode};
  require(hoist_provider_register(&table, NULL), "register");
  hoist_config *config = hoist_config_new("surviving");
  const hoist_transport transport = {.struct_size = sizeof transport, .send = carry};
  require(hoist_config_set_transport(config, &transport, NULL), "transport");
  require(hoist_config_set(config, "store.path", argv[1], NULL), "store.path");
  require(hoist_config_set(config, "events.durability", "immediate", NULL), "durability");
  hoist_client *client = NULL;
  require(hoist_client_open(config, &client, NULL), "open");
  hoist_config_free(config);
  if (!delivers) {
    for (int number = 0, count = argc > 3 ? atoi(argv[3]) : 1; number < count; number++) {
      char key[40];
      snprintf(key, sizeof key, "event-%d", number);
      require(hoist_client_track(client, key, NULL, NULL), "track");
    }
    (void)hoist_client_flush(client, 2000); /* refused: they are to be tried again */
    raise(SIGKILL);
  }
  require(hoist_client_flush(client, 20000), "flush");
  require(hoist_client_close(client, 20000), "close");
  hoist_client_free(client);
  return 0;
}
