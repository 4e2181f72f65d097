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
  "{\"featureFlags\":[{\"id\":1,\"featureKey\":\"on\",\"defaultVariationKey\":\"off\",\"environmentEnabled\":true,"           \
  "\"variations\":[{\"key\":\"off\",\"variables\":[]},{\"key\":\"blue\",\"variables\":[]}],"                                  \
  "\"rules\":[{\"id\":10,\"type\":\"TARGETED_DELIVERY\",\"exposition\":1,\"experimentId\":100,"                                \
  "\"variationByExposition\":[{\"variationKey\":\"blue\",\"variationId\":11,\"exposition\":1}]}]}]}"

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
    host_set(config, "tracking_interval_millisecond", "100");
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

/* What a service's events are called, and what they may carry. */
static const char *const event_names[SERVICES] = {"event", "buy", "event", "event", "7"};

typedef struct worker {
  hoist_client *client;
  int number;
  long evaluations;
} worker;

static bool is_over;

/* Goes on while the client closes, and afterwards. At full speed for as much as a client can deliver while it closes. */
static void *evaluate_and_track(void *argument) {
  worker *own = (worker *)argument;
  hoist_context *user = hoist_context_new("user");
  while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
    (void)serves(own->client, own->number);
    if (own->evaluations++ % 16 == 0) (void)hoist_client_track(own->client, event_names[own->number], user, NULL);
    if (own->evaluations % 64 == 0) (void)hoist_client_refresh(own->client);
    if (own->evaluations > 2000) usleep(1000);
  }
  hoist_context_free(user);
  return NULL;
}

TEST(they_close_clean_under_load) {
  enum { THREADS = 2 * SERVICES };
  hoist_client *clients[SERVICES];
  pthread_t threads[THREADS];
  worker workers[THREADS];
  int index;
  open_all(clients);
  for (index = 0; index < SERVICES; index++) CHECK_INT(hoist_client_wait_ready(clients[index], 20000), HOIST_OK);
  for (index = 0; index < THREADS; index++) {
    worker own = {clients[index % SERVICES], index % SERVICES, 0};
    workers[index] = own;
    CHECK_INT(pthread_create(&threads[index], NULL, evaluate_and_track, &workers[index]), 0);
  }
  usleep(200000);
  for (index = SERVICES - 1; index >= 0; index--) CHECK_INT(hoist_client_close(clients[index], 20000), HOIST_OK);
  __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
  for (index = 0; index < THREADS; index++) {
    CHECK_INT(pthread_join(threads[index], NULL), 0);
    CHECK(workers[index].evaluations > 0);
  }
  for (index = 0; index < SERVICES; index++) {
    CHECK_INT(hoist_client_get_state(clients[index]), HOIST_CLIENT_CLOSED);
    hoist_client_free(clients[index]);
    CHECK_INT(services[index].strays, 0);
  }
}

int main(void) {
  RUN(each_serves_its_own_flags_until_it_is_closed);
  RUN(they_open_and_close_on_threads_of_their_own);
  RUN(they_close_clean_under_load);
  return check_summary();
}
