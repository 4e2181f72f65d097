/* What a host of the C tests needs again and again: a client that reaches no network. */
#ifndef HOST_H
#define HOST_H

#include <hoist/hoist.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A port of loopback where nobody listens: connections are refused at once. */
#define HOST_DEAD_URL "http://127.0.0.1:1/api/frontend"

/* Two flags that are there without any network. */
#define HOST_BOOTSTRAP                                                                                                 \
  "{\"toggles\":[{\"name\":\"on\",\"enabled\":true,\"impressionData\":false,"                                          \
  "\"variant\":{\"name\":\"blue\",\"enabled\":true,\"payload\":{\"type\":\"string\",\"value\":\"sky\"}}},"             \
  "{\"name\":\"off\",\"enabled\":false,\"impressionData\":false,"                                                      \
  "\"variant\":{\"name\":\"disabled\",\"enabled\":false}}]}"

static inline void host_set(hoist_config *config, const char *name, const char *value) {
  hoist_error *error = NULL;
  if (hoist_config_set(config, name, value, &error) != HOIST_OK) {
    fprintf(stderr, "hoist_config_set(%s): %s\n", name, hoist_error_message(error));
    exit(70);
  }
}

static inline hoist_config *host_config(void) {
  hoist_config *config = hoist_config_new("unleash");
  host_set(config, "url", HOST_DEAD_URL);
  host_set(config, "key", "test-key");
  host_set(config, "bootstrap", HOST_BOOTSTRAP);
  host_set(config, "store", "none");
  host_set(config, "log.level", "none");
  return config;
}

/* An Optimizely project with one flag, "on", and one event, "buy". */
#define HOST_DATAFILE                                                                                                  \
  "{\"version\":\"4\",\"projectId\":\"1\",\"accountId\":\"2\",\"revision\":\"3\",\"anonymizeIP\":true,"                    \
  "\"featureFlags\":[{\"id\":\"10\",\"key\":\"on\",\"experimentIds\":[\"20\"],\"rolloutId\":\"\","                          \
  "\"variables\":[{\"id\":\"40\",\"key\":\"color\",\"type\":\"string\",\"defaultValue\":\"red\"}]}],"                      \
  "\"experiments\":[{\"id\":\"20\",\"key\":\"test\",\"status\":\"Running\",\"layerId\":\"21\",\"audienceIds\":[],"        \
  "\"forcedVariations\":{},\"variations\":[{\"id\":\"30\",\"key\":\"blue\",\"featureEnabled\":true}],"                       \
  "\"trafficAllocation\":[{\"entityId\":\"30\",\"endOfRange\":10000}]}],"                                          \
  "\"rollouts\":[],\"audiences\":[],\"typedAudiences\":[],\"groups\":[],\"attributes\":[],"                            \
  "\"events\":[{\"id\":\"50\",\"key\":\"buy\",\"experimentIds\":[]}]}"

static inline hoist_config *host_optimizely_config(void) {
  hoist_config *config = hoist_config_new("optimizely");
  host_set(config, "datafile", HOST_DATAFILE);
  host_set(config, "online", "false");
  host_set(config, "store", "none");
  host_set(config, "log.level", "none");
  return config;
}

static inline hoist_config *host_launchdarkly_config(void) {
  hoist_config *config = hoist_config_new("launchdarkly");
  host_set(config, "mobile_key", "mob-test");
  host_set(config, "online", "false");
  host_set(config, "store", "none");
  host_set(config, "log.level", "none");
  return config;
}

static inline hoist_config *host_flagship_config(void) {
  hoist_config *config = hoist_config_new("flagship");
  host_set(config, "env_id", "c1ndrd07m0300ro0jf20");
  host_set(config, "api_key", "the-api-key");
  host_set(config, "online", "false");
  host_set(config, "store", "none");
  host_set(config, "log.level", "none");
  return config;
}

/* A flag, a segment, and custom data "uid", which is the mapping identifier, at 3. */
#define HOST_KAMELEOON_DATAFILE                                                                                    \
  "{\"customData\":[{\"id\":700,\"index\":3,\"name\":\"uid\",\"scope\":\"VISITOR\",\"isMappingIdentifier\":true}]," \
  "\"featureFlags\":[{\"id\":1,\"featureKey\":\"on\",\"defaultVariationKey\":\"off\",\"environmentEnabled\":true,"   \
  "\"variations\":[{\"key\":\"off\",\"name\":\"Off\",\"variables\":[]},{\"key\":\"blue\",\"name\":\"Blue\","       \
  "\"variables\":[{\"key\":\"color\",\"type\":\"STRING\",\"value\":\"blue\"}]}],"                                  \
  "\"rules\":[{\"id\":10,\"type\":\"TARGETED_DELIVERY\",\"exposition\":1,\"experimentId\":100,\"segmentId\":5,"    \
  "\"variationByExposition\":[{\"variationKey\":\"blue\",\"variationId\":11,\"exposition\":1}]}]}],"             \
  "\"segments\":[{\"id\":5,\"conditionsData\":{\"firstLevelOrOperators\":[],\"firstLevel\":[{\"orOperators\":[],"    \
  "\"conditions\":[{\"targetingType\":\"DEVICE_TYPE\",\"device\":\"PHONE\"}]}]}}]}"

static inline hoist_config *host_kameleoon_config(void) {
  hoist_config *config = hoist_config_new("kameleoon");
  host_set(config, "site_code", "a8st4f59bj");
  host_set(config, "default_datafile", HOST_KAMELEOON_DATAFILE);
  host_set(config, "online", "false");
  host_set(config, "store", "none");
  host_set(config, "log.level", "none");
  return config;
}

/* Takes the configuration. */
static inline hoist_client *host_open(hoist_config *config) {
  hoist_client *client = NULL;
  hoist_error *error = NULL;
  if (hoist_client_open(config, &client, &error) != HOIST_OK) {
    fprintf(stderr, "hoist_client_open: %s\n", hoist_error_message(error));
    exit(70);
  }
  hoist_config_free(config);
  if (!client) {
    fputs("hoist_client_open: no client\n", stderr);
    exit(70);
  }
  return client;
}

static inline hoist_client *host_client(void) { return host_open(host_config()); }
static inline hoist_client *host_launchdarkly_client(void) { return host_open(host_launchdarkly_config()); }
/* In mode server, for user "u": a number, a text, the stage of a migration. */
static inline hoist_client *host_launchdarkly_server(void) {
  hoist_config *config = host_launchdarkly_config();
  hoist_client *client;
  host_set(config, "mode", "server");
  host_set(config, "bootstrap",
           "{\"flags\":{},\"segments\":{},\"flagValues\":{\"number\":2.5,\"text\":\"red\",\"stage\":\"live\"}}");
  host_set(config, "context", "{\"kind\":\"user\",\"key\":\"u\"}");
  client = host_open(config);
  if (hoist_client_wait_ready(client, 60000) != HOIST_OK) {
    fputs("hoist_client_wait_ready: it is not ready\n", stderr);
    exit(70);
  }
  return client;
}
static inline hoist_client *host_flagship_client(void) { return host_open(host_flagship_config()); }
/* Its flags are there a moment after it is open. */
static inline hoist_client *host_kameleoon_client(void) {
  hoist_client *client = host_open(host_kameleoon_config());
  if (hoist_client_wait_ready(client, 60000) != HOIST_OK) {
    fputs("hoist_client_wait_ready: it is not ready\n", stderr);
    exit(70);
  }
  return client;
}
/* Offline, what was recorded of the first context by now is left. */
static inline bool host_close_offline(hoist_client *client) {
  hoist_status status = hoist_client_close(client, 1000);
  return status == HOIST_OK || status == HOIST_ERR_TIMEOUT;
}

static inline hoist_client *host_optimizely_client(void) { return host_open(host_optimizely_config()); }

/* A number of the statistics; -1 where there is none. */
static inline long host_statistic(hoist_client *client, const char *group, const char *name) {
  hoist_text *statistics = hoist_client_statistics(client);
  char key[64];
  long number = -1;
  const char *found;
  snprintf(key, sizeof key, "\"%s\":{", group);
  found = strstr(hoist_text_data(statistics), key);
  snprintf(key, sizeof key, "\"%s\":", name);
  found = found ? strstr(found, key) : NULL;
  if (found) number = strtol(found + strlen(key), NULL, 10);
  hoist_text_free(statistics);
  return number;
}

/* On the machine's monotonic clock. */
static inline double host_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#endif
