/* Starting a LaunchDarkly client, changing its context, and closing it. */
#include "launchdarkly_service.h"

static hoist_config *late(hoist_config *config) {
  host_set(config, "autostart", "false");
  return config;
}

static void started(void *user_data, bool timed_out, hoist_status status) {
  notes *told = (notes *)user_data;
  pthread_mutex_lock(&lock);
  told->timed_out = timed_out;
  told->last_status = status;
  told->done++;
  pthread_mutex_unlock(&lock);
}

/* (LD-03, LD-05, LD-07; before start, offline, closed) */
TEST(an_offline_start_is_complete_at_once_and_happens_once) {
  hoist_client *client = host_open(late(host_launchdarkly_config()));
  bool timed_out = true;
  CHECK(!hoist_launchdarkly_is_initialized(client));
  CHECK_INT(hoist_launchdarkly_start_wait(client, 5000, &timed_out), HOIST_OK);
  CHECK(!timed_out && hoist_launchdarkly_is_initialized(client) && !hoist_launchdarkly_is_online(client));
  CHECK_INT(hoist_launchdarkly_start_wait(client, 5000, &timed_out), HOIST_ERR_LAUNCHDARKLY_ALREADY_STARTED);
  CHECK(!timed_out);
  /* Offline, nothing is sent: the event of the first context is left. */
  CHECK_INT(hoist_client_close(client, 1000), HOIST_ERR_TIMEOUT);
  CHECK_INT(hoist_launchdarkly_start(client, 0, started, NULL), HOIST_ERR_STATE);
  CHECK(hoist_launchdarkly_environment(client, NULL) == NULL);
  hoist_client_free(client);
}

/* Nothing has to be called before the end (LD-06, LD-13, LD-18; starting, ready). */
TEST(a_start_is_complete_with_the_first_flags) {
  notes told = nothing;
  serve(1);
  hoist_client *client = host_open(late(polling()));
  CHECK_INT(hoist_launchdarkly_start(client, 10000, started, &told), HOIST_OK);
  CHECK(reaches(&told.done, 1));
  CHECK(told.last_status == HOIST_OK && !told.timed_out && hoist_launchdarkly_is_initialized(client));
  CHECK(hoist_launchdarkly_is_online(client) && hoist_client_int64(client, "n", NULL, 0, NULL) == 1);
  hoist_client_free(client);
  CHECK_INT(told.done, 1);
}

/* (LD-21 to LD-23; ready) */
TEST(an_identify_says_how_it_ended) {
  notes told = nothing;
  hoist_launchdarkly_identify_result result;
  hoist_client *client = host_open(polling());
  hoist_context *user = hoist_context_new("user-1");
  CHECK_INT(hoist_launchdarkly_identify_wait(client, user, 10000, 0, &result), HOIST_OK);
  CHECK_INT(result, HOIST_LAUNCHDARKLY_IDENTIFY_COMPLETE);
  CHECK_INT(hoist_launchdarkly_identify(client, user, 10000, HOIST_LAUNCHDARKLY_UNSHEDDABLE, identified, &told), HOIST_OK);
  CHECK(reaches(&told.done, 1));
  CHECK(told.last_result == HOIST_LAUNCHDARKLY_IDENTIFY_COMPLETE && told.last_status == HOIST_OK);
  CHECK_INT(hoist_launchdarkly_identify(client, user, 0, 6, identified, &told), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_identify_wait(client, user, -1, 0, &result), HOIST_OK);
  CHECK_INT(result, HOIST_LAUNCHDARKLY_IDENTIFY_COMPLETE);
  hoist_context_free(user);
  hoist_client_free(client);
}

/* (LD-07 to LD-09, LD-19; offline, closed) */
TEST(an_environment_belongs_to_the_first) {
  hoist_config *config = host_launchdarkly_config();
  host_set(config, "secondary_mobile_keys", "{\"test\":\"mob-2\"}");
  hoist_client *client = host_open(config);
  hoist_client *test = hoist_launchdarkly_environment(client, "test");
  CHECK(test != NULL && test != client);
  CHECK(hoist_launchdarkly_environment(test, "default") == client && hoist_launchdarkly_environment(test, NULL) == client);
  CHECK(hoist_launchdarkly_environment(client, "nope") == NULL);
  hoist_client_free(test);
  CHECK(hoist_launchdarkly_environment(client, "test") == test);
  CHECK(host_close_offline(test));
  CHECK_INT(hoist_client_get_state(client), HOIST_CLIENT_CLOSED);
  hoist_client_free(client);
}

/* (LD-17; closed, reopened) */
TEST(a_closed_client_is_silent) {
  notes told = nothing;
  serve(1);
  hoist_client *client = host_open(polling());
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  hoist_launchdarkly_observer table = observer(&told);
  CHECK_INT(hoist_launchdarkly_observe_all(client, &table, NULL), HOIST_OK);
  CHECK_INT(hoist_client_close(client, 2000), HOIST_OK);
  int calls = read_int(&told.calls);
  serve(9);
  usleep(50000);
  CHECK_INT(read_int(&told.calls), calls);
  CHECK_INT(hoist_client_int64(client, "n", NULL, -1, NULL), -1);
  CHECK(!hoist_launchdarkly_is_initialized(client));
  CHECK_INT(hoist_launchdarkly_identify(client, NULL, 0, 0, identified, &told), HOIST_ERR_STATE);
  CHECK_INT(hoist_launchdarkly_set_online(client, true, NULL, NULL), HOIST_ERR_STATE);
  CHECK_INT(hoist_client_reopen(client, NULL), HOIST_OK);
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  serve(10);
  CHECK(reaches(&told.calls, calls + 1)); /* observers outlive close and reopen */
  CHECK_INT(read_int(&told.released), 0);
  hoist_client_free(client);
  CHECK(reaches(&told.released, 1));
}

int main(void) {
  RUN(an_offline_start_is_complete_at_once_and_happens_once);
  RUN(a_start_is_complete_with_the_first_flags);
  RUN(an_identify_says_how_it_ended);
  RUN(an_environment_belongs_to_the_first);
  RUN(a_closed_client_is_silent);
  return check_summary();
}
