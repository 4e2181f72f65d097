/* Clients that the whole process finds by a name. */
#include <hoist/launchdarkly.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "host.h"

/* (FS-01, LD-19; ready, closed, reopened, second client) */
TEST(a_name_stands_for_one_open_client) {
  hoist_client *first = host_client(), *second = host_client();
  CHECK(hoist_client_shared("flags") == NULL);
  CHECK_INT(hoist_client_share(NULL, "flags"), HOIST_ERR_NOT_FOUND);
  CHECK_INT(hoist_client_share(first, "flags"), HOIST_OK);
  CHECK_INT(hoist_client_share(first, "more flags"), HOIST_OK);
  CHECK(hoist_client_shared("flags") == first && hoist_client_shared("more flags") == first);
  CHECK(hoist_client_bool(hoist_client_shared("flags"), "on", NULL, false, NULL));
  /* Who loses a name goes on without. */
  CHECK_INT(hoist_client_share(second, "flags"), HOIST_OK);
  CHECK(hoist_client_shared("flags") == second && hoist_client_shared("more flags") == first);
  CHECK(hoist_client_get_state(first) != HOIST_CLIENT_CLOSED);
  /* While it is closed it is not there. */
  CHECK_INT(hoist_client_close(second, 5000), HOIST_OK);
  CHECK(hoist_client_shared("flags") == NULL);
  CHECK_INT(hoist_client_reopen(second, NULL), HOIST_OK);
  CHECK(hoist_client_shared("flags") == second);
  CHECK_INT(hoist_client_share(NULL, "flags"), HOIST_OK);
  CHECK(hoist_client_shared("flags") == NULL);
  hoist_client_free(second);
  hoist_client_free(first);
}

TEST(what_cannot_be_a_name_is_refused) {
  char longest[257];
  memset(longest, 'n', sizeof longest);
  longest[256] = 0;
  hoist_client *client = host_client();
  const char *const names[] = {NULL, "", "\xff", longest};
  for (size_t index = 0; index < sizeof names / sizeof names[0]; index++) {
    CHECK_INT(hoist_client_share(client, names[index]), HOIST_ERR_ARGUMENT);
    CHECK_INT(hoist_client_share(NULL, names[index]), HOIST_ERR_ARGUMENT);
    CHECK(hoist_client_shared(names[index]) == NULL);
  }
  /* Those of the services. */
  CHECK_INT(hoist_client_share(client, "kameleoon/site/production"), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_client_share(client, "a/b"), HOIST_ERR_ARGUMENT);
  longest[255] = 0;
  CHECK_INT(hoist_client_share(client, longest), HOIST_OK);
  CHECK(hoist_client_shared(longest) == client);
  hoist_client_free(client);
}

static void count_release(void *user_data) { __atomic_add_fetch((int *)user_data, 1, __ATOMIC_SEQ_CST); }
static void ignore(void *user_data, const hoist_notification *notification) { (void)user_data, (void)notification; }

TEST(a_free_takes_the_names_and_leaves_the_handle_to_who_has_found_it) {
  static int released;
  hoist_client *unfound = host_client(), *found = host_client();
  const hoist_observer observer = {sizeof observer, &released, ignore, count_release};
  CHECK_INT(hoist_client_observe(unfound, HOIST_TOPIC_STATE, NULL, &observer, NULL), HOIST_OK);
  CHECK_INT(hoist_client_observe(found, HOIST_TOPIC_STATE, NULL, &observer, NULL), HOIST_OK);
  CHECK_INT(hoist_client_share(unfound, "unfound"), HOIST_OK);
  CHECK_INT(hoist_client_share(found, "found"), HOIST_OK);
  CHECK(hoist_client_shared("found") == found);
  hoist_client_free(unfound);
  hoist_client_free(found);
  CHECK(hoist_client_shared("unfound") == NULL && hoist_client_shared("found") == NULL);
  CHECK_INT(hoist_client_get_state(found), HOIST_CLIENT_CLOSED);
  CHECK(!hoist_client_bool(found, "on", NULL, false, NULL));
  CHECK_TEXT(hoist_client_provider(found), "unleash");
  for (int attempt = 0; attempt < 2000 && __atomic_load_n(&released, __ATOMIC_SEQ_CST) < 2; attempt++) usleep(5000);
  CHECK_INT(__atomic_load_n(&released, __ATOMIC_SEQ_CST), 2);
  /* A second free is as harmless as a read, and it begins no more. */
  hoist_client_free(found);
  CHECK_INT(hoist_client_reopen(found, NULL), HOIST_ERR_STATE);
  CHECK_INT(hoist_client_share(found, "found"), HOIST_ERR_STATE);
  CHECK(hoist_client_shared("found") == NULL);
  CHECK_INT(hoist_client_get_state(found), HOIST_CLIENT_CLOSED);
}

/* get() of LaunchDarkly's SDKs (LD-07, LD-08, LD-19; ready, closed). */
TEST(environments_are_found_through_a_shared_client) {
  hoist_config *config = host_launchdarkly_config();
  host_set(config, "secondary_mobile_keys", "{\"test\":\"mob-2\"}");
  hoist_client *client = host_open(config);
  CHECK(hoist_launchdarkly_environment(hoist_client_shared("launchdarkly"), "default") == NULL);
  CHECK_INT(hoist_client_share(client, "launchdarkly"), HOIST_OK);
  CHECK(hoist_launchdarkly_environment(hoist_client_shared("launchdarkly"), "default") == client);
  hoist_client *test = hoist_launchdarkly_environment(hoist_client_shared("launchdarkly"), "test");
  CHECK(test != NULL && test != client);
  CHECK(hoist_launchdarkly_environment(hoist_client_shared("launchdarkly"), "nope") == NULL);
  CHECK_INT(hoist_client_share(test, "launchdarkly test"), HOIST_OK);
  CHECK(hoist_client_shared("launchdarkly test") == test);
  CHECK(host_close_offline(client));
  CHECK(hoist_launchdarkly_environment(hoist_client_shared("launchdarkly"), "default") == NULL);
  CHECK(hoist_client_shared("launchdarkly test") == NULL);
  hoist_client_free(client);
  CHECK_INT(hoist_client_share(NULL, "launchdarkly test"), HOIST_ERR_NOT_FOUND);
}

/* G9 */
TEST(a_forked_child_has_the_names_of_its_parent) {
  hoist_client *client = host_client();
  CHECK_INT(hoist_client_share(client, "before the fork"), HOIST_OK);
  pid_t child = fork();
  if (child == 0) {
    bool is_good = hoist_client_bool(hoist_client_shared("before the fork"), "on", NULL, false, NULL) &&
                   hoist_client_share(NULL, "before the fork") == HOIST_OK && !hoist_client_shared("before the fork");
    _exit(is_good ? 0 : 1);
  }
  int status = 1;
  CHECK_INT(waitpid(child, &status, 0), child);
  CHECK_INT(status, 0);
  CHECK(hoist_client_shared("before the fork") == client);
  hoist_client_free(client);
}

static int stop;

static void *find(void *unused) {
  (void)unused;
  while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
    hoist_client *client = hoist_client_shared("raced");
    if (client) (void)hoist_client_bool(client, "on", NULL, false, NULL);
  }
  return NULL;
}

TEST(who_finds_a_client_while_it_is_freed_has_a_whole_one) {
  pthread_t threads[2];
  for (int index = 0; index < 2; index++) CHECK_INT(pthread_create(&threads[index], NULL, find, NULL), 0);
  for (int round = 0; round < 30; round++) {
    hoist_client *client = host_client();
    CHECK_INT(hoist_client_share(client, "raced"), HOIST_OK);
    hoist_client_free(client);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
  for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
  CHECK(hoist_client_shared("raced") == NULL);
}

int main(void) {
  RUN(a_name_stands_for_one_open_client);
  RUN(what_cannot_be_a_name_is_refused);
  RUN(a_free_takes_the_names_and_leaves_the_handle_to_who_has_found_it);
  RUN(environments_are_found_through_a_shared_client);
  RUN(a_forked_child_has_the_names_of_its_parent);
  RUN(who_finds_a_client_while_it_is_freed_has_a_whole_one);
  return check_summary();
}
