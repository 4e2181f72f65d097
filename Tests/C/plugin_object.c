/* Plug-ins loaded from a shared object: every kind is called, and released once, whatever else goes on. */
#include <hoist/launchdarkly.h>
#include <hoist/optimizely.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loading.h"

/* Design decision 12: every kind, from one object, by one known symbol. */
TEST(every_kind_of_an_object_is_called_and_released_once) {
  counts before = so_far();
  hoist_config *config = config_of("backend");
  CHECK(loads(config, NULL));
  hoist_client *client = client_of(config);
  CHECK(client != NULL);
  hoist_config_free(config);
  CHECK_INT(hoist_client_wait_ready(client, 20000), HOIST_OK);
  CHECK(hoist_client_bool(client, "picky", NULL, false, NULL));
  CHECK_INT(hoist_client_track(client, "purchase", NULL, NULL), HOIST_OK);
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_OK);
  CHECK_INT(hoist_client_close(client, 20000), HOIST_OK);
  hoist_client_free(client);
  counts now = since(before);
  for (int kind = 0; kind < KINDS; kind++) {
    CHECK_INT(now.of[kind].made, kind == STRATEGY ? 2 : kind >= PROFILES ? 0 : 1);
    /* A storage belongs to frontend mode, the last ones to other services. */
    if (kind != STORAGE && kind < PROFILES) CHECK(now.of[kind].used > 0);
  }
  CHECK(all_released());
}

TEST(a_storage_from_an_object_serves_a_frontend_client) {
  counts before = so_far();
  hoist_config *config = config_of("frontend");
  CHECK(loads(config, NULL));
  hoist_client *client = client_of(config);
  CHECK(client != NULL);
  hoist_config_free(config);
  CHECK_INT(hoist_client_wait_ready(client, 20000), HOIST_OK);
  (void)hoist_client_bool(client, "banner", NULL, false, NULL);
  hoist_client_free(client);
  CHECK(since(before).of[STORAGE].used > 0);
  CHECK(all_released());
}

TEST(kinds_for_optimizely_are_asked) {
  counts before = so_far();
  hoist_config *config = host_optimizely_config();
  CHECK(loads(config, NULL));
  hoist_client *client = client_of(config);
  CHECK(client != NULL);
  hoist_config_free(config);
  CHECK_INT(hoist_client_wait_ready(client, 20000), HOIST_OK);
  hoist_optimizely_user *user = hoist_optimizely_user_new(client, "user", NULL);
  hoist_optimizely_decision_free(hoist_optimizely_user_decide(user, "on", 0));
  (void)hoist_optimizely_user_fetch_segments_wait(user, 0, 20000, NULL);
  hoist_optimizely_user_free(user);
  hoist_client_free(client);
  CHECK_INT(since(before).of[PROFILES].used, 1);
  CHECK_INT(since(before).of[ODP].used, 1);
  CHECK(all_released());
}

TEST(kinds_for_launchdarkly_are_asked) {
  counts before = so_far();
  hoist_config *config = host_launchdarkly_config();
  CHECK(loads(config, NULL));
  hoist_client *client = client_of(config);
  CHECK(client != NULL);
  hoist_config_free(config);
  (void)hoist_client_bool(client, "nope", NULL, false, NULL);
  hoist_client_free(client);
  CHECK_INT(since(before).of[LAUNCHDARKLY_HOOK].made, 1);
  CHECK_INT(since(before).of[LAUNCHDARKLY_HOOK].used, 1);
  CHECK(all_released());
}

/* (LDS-65, LDS-28, LDS-66; before start, ready) */
TEST(an_object_offers_stores_to_mode_server) {
  setenv("PLUGIN_FAULT", "stores", 1);
  hoist_text *text = hoist_plugin_describe(EVERY_KIND, NULL);
  CHECK(strstr(hoist_text_data(text), "[\"launchdarkly_store\",\"launchdarkly_big_segments\"]") != NULL);
  hoist_text_free(text);
  hoist_config *config = host_launchdarkly_config();
  host_set(config, "mode", "server");
  host_set(config, "daemon_mode", "true");
  CHECK_INT(hoist_config_load_plugin(config, EVERY_KIND, "", NULL), HOIST_OK);
  CHECK_INT(hoist_config_load_plugin(config, EVERY_KIND, "", NULL), HOIST_ERR_STATE);
  unsetenv("PLUGIN_FAULT");
  hoist_client *client = client_of(config);
  hoist_config_free(config);
  CHECK_INT(hoist_client_wait_ready(client, 60000), HOIST_OK);
  hoist_client_free(client);
}

TEST(a_provider_from_an_object_is_its_configurations_own) {
  counts before = so_far();
  hoist_config *config = hoist_config_new("every-kind");
  CHECK(hoist_config_set(config, "store", "none", NULL) == HOIST_ERR_CONFIG); /* not known yet */
  CHECK(loads(config, NULL));
  CHECK_INT(hoist_config_set(config, "store", "none", NULL), HOIST_OK);
  hoist_config *copy = hoist_config_copy(config), *stranger = hoist_config_new("every-kind");
  CHECK(hoist_config_set(stranger, "store", "none", NULL) == HOIST_ERR_CONFIG);
  hoist_config_free(stranger);
  hoist_client *first = client_of(config), *second = client_of(copy);
  CHECK(first && second);
  hoist_config_free(config);
  hoist_config_free(copy);
  CHECK_INT(hoist_client_wait_ready(first, 20000), HOIST_OK);
  CHECK(hoist_client_bool(first, "on", NULL, false, NULL));
  CHECK(hoist_client_bool(second, "on", NULL, false, NULL));
  hoist_client_free(first);
  hoist_client_free(second);
  CHECK_INT(since(before).of[PROVIDER].made, 1);
  CHECK_INT(since(before).of[PROVIDER].used, 2);
  CHECK_INT(since(before).of[LOGGER].made, 1); /* and what else it offers */
  CHECK(all_released());
}

TEST(kinds_of_another_service_are_left_out) {
  counts before = so_far();
  hoist_config *config = hoist_config_new("optimizely");
  CHECK(loads(config, NULL));
  CHECK_INT(made_since(before), 8);
  CHECK_INT(since(before).of[PROFILES].made + since(before).of[ODP].made, 2);
  CHECK_INT(since(before).of[STORAGE].made + since(before).of[STRATEGY].made, 0);
  hoist_config_free(config);
  CHECK(all_released());
}

TEST(an_object_tells_what_it_offers) {
  counts before = so_far();
  hoist_error *error = NULL;
  hoist_text *text = hoist_plugin_describe(EVERY_KIND, &error);
  CHECK_TEXT(hoist_text_data(text),
             "{\"name\":\"every kind\",\"version\":\"1.2\",\"abi_version\":1,\"kinds\":[\"logger\",\"cache\","
             "\"header_provider\",\"transport\",\"dispatcher\",\"hook\",\"unleash_storage\",\"unleash_strategy\","
             "\"optimizely_profile_service\",\"optimizely_odp_manager\",\"launchdarkly_hook\",\"provider\"],"
             "\"unleash_strategies\":[\"custom\",\"second\"],\"provider\":\"every-kind\"}");
  CHECK(error == NULL);
  hoist_text_free(text);
  CHECK_INT(made_since(before), 0);

  setenv("PLUGIN_FAULT", "empty", 1);
  text = hoist_plugin_describe(EVERY_KIND, NULL);
  unsetenv("PLUGIN_FAULT");
  CHECK_TEXT(hoist_text_data(text), "{\"name\":\"empty\",\"version\":null,\"abi_version\":1,\"kinds\":[],"
                                    "\"unleash_strategies\":[]}");
  hoist_text_free(text);
}

TEST(two_clients_of_one_configuration_share_the_tables) {
  counts before = so_far();
  hoist_config *config = config_of("backend");
  CHECK(loads(config, NULL));
  hoist_client *first = client_of(config), *second = client_of(config);
  CHECK(first && second);
  hoist_config_free(config);
  CHECK_INT(hoist_client_wait_ready(first, 20000), HOIST_OK);
  CHECK_INT(hoist_client_close(first, 20000), HOIST_OK);
  hoist_client_free(first);
  CHECK_INT(since(before).of[HOOK].released, 0); /* the second may call at any time */
  CHECK_INT(hoist_client_wait_ready(second, 20000), HOIST_OK);
  CHECK(hoist_client_bool(second, "picky", NULL, false, NULL));
  hoist_client_free(second);
  CHECK_INT(since(before).of[HOOK].made, 1);
  CHECK(all_released());
}

TEST(two_configurations_have_tables_of_their_own) {
  counts before = so_far();
  hoist_config *first = config_of("backend"), *second = config_of("backend");
  CHECK(loads(first, NULL));
  CHECK(loads(second, NULL));
  CHECK_INT(since(before).of[TRANSPORT].made, 2);
  hoist_config_free(first);
  CHECK_INT(since(before).of[HOOK].released, 1);
  hoist_client *client = client_of(second);
  CHECK(client != NULL);
  hoist_config_free(second);
  CHECK_INT(hoist_client_wait_ready(client, 20000), HOIST_OK);
  hoist_client_free(client);
  CHECK(all_released());
}

TEST(a_copied_configuration_has_the_same_plug_ins) {
  counts before = so_far();
  hoist_config *config = config_of("backend");
  CHECK(loads(config, NULL));
  hoist_config *copy = hoist_config_copy(config);
  hoist_config_free(config);
  CHECK_INT(since(before).of[LOGGER].released, 0);
  CHECK(is_refused(copy, EVERY_KIND, NULL, HOIST_ERR_STATE, "has one already"));
  hoist_config_free(copy);
  CHECK(all_released());
}

TEST(a_table_of_a_newer_header_is_taken_as_far_as_it_is_known) {
  hoist_config *config = config_of("backend");
  CHECK(loads(config, "newer cache"));
  hoist_client *client = client_of(config);
  CHECK(client != NULL);
  hoist_config_free(config);
  CHECK_INT(hoist_client_wait_ready(client, 20000), HOIST_OK);
  hoist_client_free(client);
  CHECK(all_released());
}

TEST(a_relative_path_starts_at_the_current_folder_and_nowhere_else) {
  char back[4096];
  CHECK(getcwd(back, sizeof back) != NULL);
  CHECK_INT(chdir(PLUGIN_FOLDER), 0);
  hoist_config *config = config_of("backend");
  hoist_status status = hoist_config_load_plugin(config, "every_kind" PLUGIN_SUFFIX, NULL, NULL);
  bool is_searched = !is_refused(config, "libc.so.6", NULL, HOIST_ERR_IO, "No such file or directory");
  hoist_config_free(config);
  CHECK_INT(chdir(back), 0);
  CHECK_INT(status, HOIST_OK);
  CHECK(!is_searched);
  CHECK(all_released());
}

static void *load_again_and_again(void *unused) {
  for (int round = 0; round < 50; round++) {
    hoist_config *config = config_of("backend");
    if (!loads(config, NULL)) return (void *)&told;
    hoist_config_free(config);
  }
  return unused;
}

TEST(threads_may_load_one_object_at_once) {
  pthread_t threads[4];
  bool are_good = true;
  for (int index = 0; index < 4; index++)
    CHECK_INT(pthread_create(&threads[index], NULL, load_again_and_again, NULL), 0);
  for (int index = 0; index < 4; index++) {
    void *result = NULL;
    pthread_join(threads[index], &result);
    are_good = are_good && !result;
  }
  CHECK(are_good);
  CHECK(all_released());
}

/* The object stays when nothing of it is in use: a host may have kept what it made. */
TEST(an_object_stays_when_everything_is_released) {
  CHECK(all_released());
  void *object = dlopen(EVERY_KIND, RTLD_NOW | RTLD_NOLOAD);
  CHECK(object != NULL);
  dlclose(object);
}

static bool is_child;
/* Asked by the leak checker at exit: what the parent's threads hold has no holder in a child. */
#ifdef __cplusplus
extern "C"
#endif
    int
    __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return is_child; }

static int child_uses_and_loads(hoist_client *inherited) {
  counts before = so_far();
  if (!hoist_client_bool(inherited, "picky", NULL, false, NULL)) return 1;
  counts now = since(before);
  if (now.of[HOOK].used != 1 || now.of[STRATEGY].used != 1) return 2;
  hoist_config *config = config_of("backend");
  if (!loads(config, NULL)) return 3;
  hoist_client *own = client_of(config);
  hoist_config_free(config);
  if (!own || hoist_client_wait_ready(own, 20000) != HOIST_OK) return 4;
  if (!hoist_client_bool(own, "picky", NULL, false, NULL)) return 5;
  if (hoist_client_close(own, 20000) != HOIST_OK) return 6;
  hoist_client_free(own);
  return 0;
}

/* G9 */
TEST(a_forked_child_goes_on_with_the_plug_ins_and_loads_its_own) {
  hoist_config *config = config_of("backend");
  CHECK(loads(config, NULL));
  hoist_client *client = client_of(config);
  CHECK(client != NULL);
  hoist_config_free(config);
  CHECK_INT(hoist_client_wait_ready(client, 20000), HOIST_OK);
  fflush(stdout);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    is_child = true;
    alarm(60);
    _exit(child_uses_and_loads(client));
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK_INT(status, 0);
  CHECK(hoist_client_bool(client, "picky", NULL, false, NULL));
  CHECK_INT(hoist_client_close(client, 20000), HOIST_OK);
  hoist_client_free(client);
  CHECK(all_released());
}

int main(void) {
  alarm(500);
  void *object = open_counters();
  RUN(every_kind_of_an_object_is_called_and_released_once);
  RUN(a_storage_from_an_object_serves_a_frontend_client);
  RUN(kinds_for_optimizely_are_asked);
  RUN(kinds_for_launchdarkly_are_asked);
  RUN(an_object_offers_stores_to_mode_server);
  RUN(a_provider_from_an_object_is_its_configurations_own);
  RUN(kinds_of_another_service_are_left_out);
  RUN(an_object_tells_what_it_offers);
  RUN(two_clients_of_one_configuration_share_the_tables);
  RUN(two_configurations_have_tables_of_their_own);
  RUN(a_copied_configuration_has_the_same_plug_ins);
  RUN(a_table_of_a_newer_header_is_taken_as_far_as_it_is_known);
  RUN(a_relative_path_starts_at_the_current_folder_and_nowhere_else);
  RUN(threads_may_load_one_object_at_once);
  dlclose(object);
  RUN(an_object_stays_when_everything_is_released);
  RUN(a_forked_child_goes_on_with_the_plug_ins_and_loads_its_own);
  return check_summary();
}
