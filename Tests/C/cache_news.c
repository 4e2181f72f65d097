/* What others announce (hoist_cache, `listen`): who is asked to tell of it, what is done with it, and what comes too late
 * (FLT 1; ready, offline, closed, reopened, forked, second client). */
#include <sys/wait.h>

#include "check.h"
#include "host.h"
#include "told.h"
#include <hoist/flagship.h>
#include <hoist/plugin.h>

static int begun, ended, looked, released, announced, refuses;
static hoist_cache_news *news;

static void count(int *place) {
  pthread_mutex_lock(&lock);
  ++*place;
  pthread_mutex_unlock(&lock);
}

/* Of one person alone something is kept. */
static char kept[256];
static size_t kept_size;

static hoist_status load(void *user_data, const char *key, hoist_bytes_sink *sink) {
  hoist_status status = HOIST_ERR_NOT_FOUND;
  (void)user_data;
  if (strcmp(key, "visitor:no") != 0) return status;
  pthread_mutex_lock(&lock);
  looked++;
  if (kept_size) status = hoist_bytes_sink_write(sink, kept, kept_size);
  pthread_mutex_unlock(&lock);
  return status;
}

static hoist_status save(void *user_data, const char *key, const void *value, size_t size) {
  (void)user_data;
  if (strcmp(key, "visitor:no") != 0 || size > sizeof kept) return HOIST_OK;
  pthread_mutex_lock(&lock);
  memcpy(kept, value, size);
  kept_size = size;
  pthread_mutex_unlock(&lock);
  return HOIST_OK;
}

static hoist_status announce(void *user_data, const char *key) {
  (void)user_data;
  if (strcmp(key, "visitor:no") == 0) count(&announced);
  return HOIST_ERR_NETWORK; /* no failure of the client's */
}

static hoist_status listen_to(void *user_data, hoist_cache_news *given) {
  (void)user_data;
  if (given && read_int(&refuses)) return HOIST_ERR_LIMIT;
  pthread_mutex_lock(&lock);
  news = given;
  ++*(given ? &begun : &ended);
  pthread_mutex_unlock(&lock);
  return HOIST_OK;
}

static void release(void *user_data) {
  (void)user_data;
  count(&released);
}

static hoist_config *configured(hoist_config *config) {
  hoist_cache table = HOIST_CACHE_INIT;
  table.load = load;
  table.save = save;
  table.announce = announce;
  table.listen = listen_to;
  table.release = release;
  begun = ended = looked = released = announced = refuses = 0;
  kept_size = 0;
  news = NULL;
  if (hoist_config_set_cache(config, &table, NULL) != HOIST_OK) exit(70);
  return config;
}

static hoist_client *opened(const hoist_config *config) {
  hoist_client *client = NULL;
  if (hoist_client_open(config, &client, NULL) != HOIST_OK) exit(70);
  return client;
}

static hoist_flagship_visitor *visitor_of(hoist_client *client, bool has_consented) {
  hoist_flagship_visitor_options options = HOIST_FLAGSHIP_VISITOR_OPTIONS_INIT;
  hoist_flagship_visitor *visitor = NULL;
  options.id = "no";
  options.has_consented = has_consented;
  if (hoist_flagship_visitor_new(client, &options, &visitor, NULL) != HOIST_OK) exit(70);
  return visitor;
}

TEST(what_is_no_handle_does_no_harm) {
  CHECK_INT(hoist_cache_news_post(NULL, "a"), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_cache_news_post((hoist_cache_news *)(uintptr_t)999999, "a"), HOIST_ERR_NOT_FOUND);
  CHECK_INT(hoist_cache_news_post((hoist_cache_news *)(uintptr_t)999999, NULL), HOIST_ERR_NOT_FOUND);
}

TEST(who_needs_no_news_is_not_told_any) {
  hoist_config *config = configured(host_config());
  hoist_client *client = opened(config);
  CHECK_INT(hoist_client_close(client, 10000), HOIST_OK);
  hoist_client_free(client);
  hoist_config_free(config);
  CHECK(reaches(&released, 1));
  CHECK_INT(begun, 0);
  CHECK_INT(ended, 0);
}

TEST(a_refusal_is_announced_and_what_others_announce_is_looked_for) {
  hoist_config *config = configured(host_flagship_config());
  hoist_client *one = opened(config), *other = opened(config);
  CHECK(reaches(&begun, 1));
  hoist_flagship_visitor *visitor = visitor_of(one, true);
  int before = read_int(&looked);
  CHECK_INT(hoist_cache_news_post(news, "\xff"), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_cache_news_post(news, "visitor:nobody"), HOIST_OK);
  CHECK_INT(hoist_cache_news_post(news, NULL), HOIST_OK);
  CHECK_INT(hoist_cache_news_post(news, "visitor:no"), HOIST_OK);
  CHECK(reaches(&looked, before + 1));
  CHECK(hoist_flagship_visitor_has_consented(visitor));
  hoist_flagship_visitor *refusing = visitor_of(other, false);
  CHECK(reaches(&announced, 1));
  before = read_int(&looked);
  CHECK_INT(hoist_cache_news_post(news, "visitor:no"), HOIST_OK);
  for (int left = 10000; left > 0 && hoist_flagship_visitor_has_consented(visitor); left--) usleep(1000);
  CHECK(!hoist_flagship_visitor_has_consented(visitor));
  hoist_flagship_visitor_free(refusing);
  hoist_flagship_visitor_free(visitor);
  /* Two clients of one table have one handle, until the last of them closes. */
  CHECK_INT(read_int(&begun), 1);
  CHECK(host_close_offline(one));
  CHECK_INT(read_int(&ended), 0);
  CHECK_INT(hoist_cache_news_post(news, "visitor:no"), HOIST_OK);
  hoist_cache_news *former = news;
  CHECK(host_close_offline(other));
  CHECK_INT(read_int(&ended), 1);
  CHECK_INT(hoist_cache_news_post(former, "visitor:no"), HOIST_ERR_NOT_FOUND);
  CHECK_INT(hoist_client_reopen(one, NULL), HOIST_OK);
  CHECK(reaches(&begun, 2));
  CHECK(news != former);
  CHECK_INT(hoist_cache_news_post(former, NULL), HOIST_ERR_NOT_FOUND);
  CHECK_INT(hoist_cache_news_post(news, NULL), HOIST_OK);
  former = news;
  /* Freed without a close: nothing is waited for, and what comes then does no harm. */
  hoist_client_free(one);
  hoist_client_free(other);
  hoist_config_free(config);
  CHECK(reaches(&released, 1));
  CHECK_INT(hoist_cache_news_post(former, "visitor:no"), HOIST_ERR_NOT_FOUND);
}

TEST(a_forked_child_listens_for_itself) {
  hoist_config *config = configured(host_flagship_config());
  hoist_client *client = opened(config);
  CHECK(reaches(&begun, 1));
  hoist_cache_news *parents = news;
  pid_t child = fork();
  if (child == 0) {
    hoist_flagship_visitor *visitor = visitor_of(client, true);
    bool is_good = reaches(&begun, 2) && news != parents && hoist_cache_news_post(parents, NULL) == HOIST_ERR_NOT_FOUND &&
                   hoist_cache_news_post(news, NULL) == HOIST_OK;
    hoist_flagship_visitor_free(visitor);
    is_good = host_close_offline(client) && is_good && read_int(&ended) == 1;
    _exit(is_good ? 0 : 1);
  }
  int status = 1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK_INT(status, 0);
  CHECK_INT(hoist_cache_news_post(parents, NULL), HOIST_OK);
  CHECK(host_close_offline(client));
  CHECK_INT(read_int(&ended), 1);
  hoist_client_free(client);
  hoist_config_free(config);
  CHECK(reaches(&released, 1));
}

TEST(a_plug_in_that_cannot_listen_costs_nothing) {
  hoist_config *config = configured(host_flagship_config());
  refuses = 1;
  hoist_client *client = opened(config);
  hoist_flagship_visitor *visitor = visitor_of(client, true);
  CHECK_INT(host_statistic(client, "store", "failures"), 0);
  hoist_flagship_visitor_free(visitor);
  CHECK(host_close_offline(client));
  CHECK_INT(ended, 0);
  hoist_client_free(client);
  hoist_config_free(config);
}

int main(void) {
  RUN(what_is_no_handle_does_no_harm);
  RUN(who_needs_no_news_is_not_told_any);
  RUN(a_refusal_is_announced_and_what_others_announce_is_looked_for);
  RUN(a_forked_child_listens_for_itself);
  RUN(a_plug_in_that_cannot_listen_costs_nothing);
  return check_summary();
}
