/* Clients of all services in one process: each talks to its own hosts, serves its own flags and outlives the others. */
#include <pthread.h>
#include <unistd.h>

#include <hoist/plugin.h>

#include "check.h"
#include "host.h"

enum { UNLEASH, OPTIMIZELY, LAUNCHDARKLY, FLAGSHIP, KAMELEOON, SERVICES };

#define HOST_BUCKETING                                                                                                 \
  "{\"campaigns\":[{\"id\":\"c\",\"type\":\"ab\",\"variationGroups\":[{\"id\":\"g\",\"targeting\":"                         \
  "{\"targetingGroups\":[{\"targetings\":[{\"operator\":\"EQUALS\",\"key\":\"fs_all_users\",\"value\":\"\"}]}]},"          \
  "\"variations\":[{\"id\":\"v\",\"allocation\":100,\"modifications\":{\"type\":\"JSON\",\"value\":{\"on\":true}}}]}]}]}"

#define HOST_SITE                                                                                                      \
  "{\"featureFlags\":[{\"id\":1,\"featureKey\":\"on\",\"defaultVariationKey\":\"on\",\"environmentEnabled\":true,"             \
  "\"variations\":[{\"key\":\"on\",\"name\":\"On\",\"variables\":[]}],\"rules\":[]}]}"

/* What one service's hosts were sent. */
typedef struct service {
  const char *name, *host, *flags, *flags_path;
  int requests, strays;
} service;

static service services[SERVICES] = {
    {"unleash", "http://unleash.test", HOST_BOOTSTRAP, "/api/frontend", 0, 0},
    {"optimizely", "http://optimizely.test", HOST_DATAFILE, "/datafiles/", 0, 0},
    {"launchdarkly", "http://launchdarkly.test", "{\"on\":{\"value\":true,\"version\":1}}", "/msdk/evalx/", 0, 0},
    {"flagship", "http://flagship.test", HOST_BUCKETING, "/bucketing.json", 0, 0},
    {"kameleoon", "http://kameleoon.test", HOST_SITE, "/v3/", 0, 0},
};

static hoist_status answer(void *user_data, const hoist_http_request *request, hoist_http_exchange *exchange) {
  service *own = (service *)user_data;
  bool asks_for_flags = strstr(request->url, own->flags_path) && !strstr(request->url, "/metrics");
  const char *body = asks_for_flags ? own->flags : "";
  if (strncmp(request->url, own->host, strlen(own->host)) != 0) __atomic_add_fetch(&own->strays, 1, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&own->requests, 1, __ATOMIC_SEQ_CST);
  (void)hoist_http_exchange_respond(exchange, asks_for_flags ? 200 : 202, NULL, 0, body, strlen(body));
  hoist_http_exchange_release(exchange);
  return HOIST_OK;
}

static hoist_config *config_of(int number) {
  service *own = &services[number];
  hoist_transport transport = {sizeof transport, own, answer, NULL};
  hoist_config *config = hoist_config_new(own->name);
  host_set(config, "store", "none");
  host_set(config, "log.level", "none");
  switch (number) {
  case UNLEASH:
    host_set(config, "url", "http://unleash.test/api/frontend");
    host_set(config, "key", "key");
    break;
  case OPTIMIZELY:
    host_set(config, "sdk_key", "key");
    host_set(config, "datafile.url", "http://optimizely.test/datafiles/%@.json");
    host_set(config, "events.url.us", "http://optimizely.test/events");
    break;
  case LAUNCHDARKLY:
    host_set(config, "mobile_key", "key");
    host_set(config, "streaming_mode", "polling");
    host_set(config, "base_url", own->host);
    host_set(config, "events_url", own->host);
    break;
  case KAMELEOON:
    host_set(config, "site_code", "hoistsite1");
    host_set(config, "configuration.url", own->host);
    host_set(config, "data.url", own->host);
    break;
  default:
    host_set(config, "env_id", "hoistsampleenv000001");
    host_set(config, "api_key", "key");
    host_set(config, "mode", "bucketing");
    host_set(config, "decision.url", own->host);
    host_set(config, "cdn.url", own->host);
    host_set(config, "events.url", own->host);
  }
  if (hoist_config_set_transport(config, &transport, NULL) != HOIST_OK) exit(70);
  return config;
}

/* Where the service decides, the flags are those of the client's own context. */
static bool serves(hoist_client *client, int number) {
  hoist_context *user = number == UNLEASH || number == LAUNCHDARKLY ? NULL : hoist_context_new("user");
  bool is_on = hoist_client_bool(client, "on", user, false, NULL);
  hoist_context_free(user);
  return is_on && !hoist_client_bool(client, "of nobody", NULL, false, NULL);
}

static void open_all(hoist_client **clients) {
  int number;
  for (number = 0; number < SERVICES; number++) clients[number] = host_open(config_of(number));
}

TEST(each_serves_its_own_flags_until_it_is_closed) {
  hoist_client *clients[SERVICES];
  int closed, number;
  open_all(clients);
  for (number = 0; number < SERVICES; number++) CHECK_INT(hoist_client_wait_ready(clients[number], 20000), HOIST_OK);
  for (closed = 0; closed < SERVICES; closed++) {
    for (number = closed; number < SERVICES; number++) CHECK(serves(clients[number], number));
    CHECK_INT(hoist_client_flush(clients[closed], 20000), HOIST_OK);
    CHECK_INT(hoist_client_close(clients[closed], 20000), HOIST_OK);
    hoist_client_free(clients[closed]);
  }
  for (number = 0; number < SERVICES; number++) {
    CHECK(services[number].requests > 0);
    CHECK_INT(services[number].strays, 0);
  }
}

static void *open_and_close(void *argument) {
  int round, number = (int)(long)argument;
  for (round = 0; round < 10; round++) {
    hoist_client *client = host_open(config_of(number));
    (void)hoist_client_wait_ready(client, 20000);
    if (!serves(client, number)) exit(71);
    hoist_client_free(client);
  }
  return NULL;
}

TEST(they_open_and_close_on_threads_of_their_own) {
  pthread_t threads[SERVICES];
  long number;
  for (number = 0; number < SERVICES; number++)
    CHECK_INT(pthread_create(&threads[number], NULL, open_and_close, (void *)number), 0);
  for (number = 0; number < SERVICES; number++) CHECK_INT(pthread_join(threads[number], NULL), 0);
  for (number = 0; number < SERVICES; number++) CHECK_INT(services[number].strays, 0);
}

int main(void) {
  RUN(each_serves_its_own_flags_until_it_is_closed);
  RUN(they_open_and_close_on_threads_of_their_own);
  return check_summary();
}
