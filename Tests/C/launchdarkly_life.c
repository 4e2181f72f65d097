/* Starting a LaunchDarkly client, changing its context, and observers that do what observers may do: free their owner,
 * identify, close. The service is a transport of the test's own, polled every few milliseconds. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <hoist/launchdarkly.h>
#include <hoist/plugin.h>

#include "check.h"
#include "host.h"
#include "told.h"

/* ---- A service in the process ------------------------------------------------------------------------------ */

static int served_value;

static void serve(int value) {
  pthread_mutex_lock(&lock);
  served_value = value;
  pthread_mutex_unlock(&lock);
}

static hoist_status service_send(void *user_data, const hoist_http_request *request, hoist_http_exchange *exchange) {
  char flags[200];
  int length, status = 200;
  (void)user_data;
  pthread_mutex_lock(&lock);
  length = snprintf(flags, sizeof flags, "{\"n\":{\"value\":%d,\"version\":%d},\"fixed\":{\"value\":true,\"version\":1}}",
                    served_value, served_value + 1);
  pthread_mutex_unlock(&lock);
  if (!strstr(request->url, "/msdk/evalx/")) {
    status = 202;
    length = 0;
  }
  (void)hoist_http_exchange_respond(exchange, status, NULL, 0, flags, (size_t)length);
  hoist_http_exchange_release(exchange);
  return HOIST_OK;
}

static hoist_config *polling(void) {
  hoist_config *config = host_launchdarkly_config();
  hoist_transport transport = {sizeof transport, NULL, service_send, NULL};
  host_set(config, "online", "true");
  host_set(config, "streaming_mode", "polling");
  host_set(config, "ignore_polling_minimum", "true");
  host_set(config, "flag_polling_interval_ms", "10");
  if (hoist_config_set_transport(config, &transport, NULL) != HOIST_OK) exit(70);
  return config;
}

static hoist_config *late(hoist_config *config) {
  host_set(config, "autostart", "false");
  return config;
}

/* ---- What is told ------------------------------------------------------------------------------------------ */

typedef struct notes {
  hoist_client *client;
  hoist_launchdarkly_owner *owner;
  int calls, released, done, last_status, last_result, timed_out, inside;
  bool is_held, is_inside;
  size_t count;
  char last[64];
} notes;

static const notes nothing = {NULL, NULL, 0, 0, 0, 0, 0, 0, 0, false, false, 0, ""};

static void started(void *user_data, bool timed_out, hoist_status status) {
  notes *told = (notes *)user_data;
  pthread_mutex_lock(&lock);
  told->timed_out = timed_out;
  told->last_status = status;
  told->done++;
  pthread_mutex_unlock(&lock);
}

static void identified(void *user_data, hoist_launchdarkly_identify_result result, hoist_status status) {
  notes *told = (notes *)user_data;
  pthread_mutex_lock(&lock);
  told->last_result = result;
  told->last_status = status;
  told->done++;
  pthread_mutex_unlock(&lock);
}

static void note_change(notes *told, const hoist_launchdarkly_change *changes, size_t count) {
  pthread_mutex_lock(&lock);
  told->count = count;
  snprintf(told->last, sizeof told->last, "%s %s>%s", changes[0].key, changes[0].old_value ? changes[0].old_value : "-",
           changes[0].new_value ? changes[0].new_value : "-");
  told->calls++;
  pthread_mutex_unlock(&lock);
}

static void changed(void *user_data, const hoist_launchdarkly_change *changes, size_t count) {
  note_change((notes *)user_data, changes, count);
}

static void unchanged(void *user_data) {
  notes *told = (notes *)user_data;
  pthread_mutex_lock(&lock);
  told->calls++;
  pthread_mutex_unlock(&lock);
}

static void released(void *user_data) {
  notes *told = (notes *)user_data;
  pthread_mutex_lock(&lock);
  told->released++;
  pthread_mutex_unlock(&lock);
}

static hoist_launchdarkly_observer observer(notes *told) {
  hoist_launchdarkly_observer table = HOIST_LAUNCHDARKLY_OBSERVER_INIT;
  table.user_data = told;
  table.changed = changed;
  table.unchanged = unchanged;
  table.release = released;
  return table;
}

/* ---- Tests ------------------------------------------------------------------------------------------------- */

/* LD-03, LD-05, LD-07 */
TEST(an_offline_start_is_complete_at_once_and_happens_once) {
  hoist_client *client = host_open(late(host_launchdarkly_config()));
  bool timed_out = true;
  CHECK(!hoist_launchdarkly_is_initialized(client));
  CHECK_INT(hoist_launchdarkly_start_wait(client, 5000, &timed_out), HOIST_OK);
  CHECK(!timed_out && hoist_launchdarkly_is_initialized(client) && !hoist_launchdarkly_is_online(client));
  CHECK_INT(hoist_launchdarkly_start_wait(client, 5000, &timed_out), HOIST_ERR_LAUNCHDARKLY_ALREADY_STARTED);
  CHECK(!timed_out);
  CHECK_INT(hoist_client_close(client, 1000), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_start(client, 0, started, NULL), HOIST_ERR_STATE);
  CHECK(hoist_launchdarkly_environment(client, NULL) == NULL);
  hoist_client_free(client);
}

/* LD-06, LD-13; nothing has to be called before the end (LD-18) */
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

/* LD-21 to LD-23 */
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
  CHECK_INT(hoist_launchdarkly_identify_wait(client, user, -1, 0, &result), HOIST_ERR_ARGUMENT);
  CHECK_INT(result, HOIST_LAUNCHDARKLY_IDENTIFY_ERROR);
  hoist_context_free(user);
  hoist_client_free(client);
}

/* LD-07 to LD-09, LD-19 */
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
  CHECK_INT(hoist_client_close(test, 1000), HOIST_OK);
  CHECK_INT(hoist_client_get_state(client), HOIST_CLIENT_CLOSED);
  hoist_client_free(client);
}

/* LD-30 to LD-33, LD-35 */
TEST(observers_hear_of_their_flags) {
  notes of_flag = nothing, of_flags = nothing, of_nothing = nothing;
  const char *keys[] = {"fixed", "n", "n"};
  serve(1);
  hoist_client *client = host_open(polling());
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  hoist_launchdarkly_owner *owner = hoist_launchdarkly_owner_new();
  hoist_launchdarkly_observer tables[] = {observer(&of_flag), observer(&of_flags), observer(&of_nothing)};
  CHECK_INT(hoist_launchdarkly_observe_flag(client, owner, "n", &tables[0]), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_observe_flags(client, owner, keys, 3, &tables[1]), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_observe_unchanged(client, owner, &tables[2]), HOIST_OK);
  CHECK(reaches(&of_nothing.calls, 2));
  serve(2);
  CHECK(reaches(&of_flag.calls, 1) && reaches(&of_flags.calls, 1));
  CHECK(strcmp(of_flag.last, "n 1>2") == 0 && of_flags.count == 1);
  CHECK_INT(hoist_launchdarkly_stop_observing(client, owner), HOIST_OK);
  CHECK(reaches(&of_flag.released, 1) && reaches(&of_flags.released, 1) && reaches(&of_nothing.released, 1));
  hoist_client_free(client);
  hoist_launchdarkly_owner_free(owner);
  CHECK(of_flag.calls == 1 && of_flag.released == 1);
}

TEST(release_runs_once_whatever_happens) {
  notes told = nothing;
  hoist_launchdarkly_observer table = observer(&told);
  hoist_launchdarkly_owner *owner = hoist_launchdarkly_owner_new();
  hoist_client *client = host_open(host_launchdarkly_config());
  CHECK_INT(hoist_launchdarkly_observe_all(NULL, owner, &table), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_observe_all(client, NULL, &table), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_observe_flag(client, owner, NULL, &table), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_observe_flags(client, owner, NULL, 0, &table), HOIST_ERR_ARGUMENT);
  CHECK_INT(told.released, 4);
  CHECK_INT(hoist_launchdarkly_observe_all(client, owner, &table), HOIST_OK);
  CHECK_INT(told.released, 4);
  CHECK_INT(hoist_client_close(client, 1000), HOIST_OK);
  CHECK(reaches(&told.released, 5));
  CHECK_INT(hoist_launchdarkly_observe_all(client, owner, &table), HOIST_ERR_STATE);
  CHECK_INT(told.released, 6);
  hoist_launchdarkly_owner_free(owner);
  hoist_client_free(client);
  CHECK_INT(told.released, 6);
}

/* Counts in `inside` what ran where no code of the host's may. */
static void released_somewhere(void *user_data) {
  char thread[16] = "";
  (void)pthread_getname_np(pthread_self(), thread, sizeof thread);
  if (strcmp(thread, "hoist-network") == 0) {
    pthread_mutex_lock(&lock);
    ((notes *)user_data)->inside++;
    pthread_mutex_unlock(&lock);
  }
  released(user_data);
}

TEST(release_does_not_run_on_the_network_thread) {
  enum { rounds = 100 };
  static notes told;
  hoist_launchdarkly_observer table = observer(&told);
  hoist_launchdarkly_hook hook;
  hoist_transport transport = {sizeof transport, &told, service_send, released_somewhere};
  table.release = released_somewhere;
  memset(&hook, 0, sizeof hook);
  hook.struct_size = sizeof hook;
  hook.user_data = &told;
  hook.release = released_somewhere;
  for (int round = 1; round <= rounds; round++) {
    hoist_config *config = polling();
    CHECK_INT(hoist_launchdarkly_config_add_hook(config, &hook, NULL), HOIST_OK);
    CHECK_INT(hoist_config_set_transport(config, &transport, NULL), HOIST_OK);
    hoist_client *client = host_open(config);
    hoist_launchdarkly_owner *owner = hoist_launchdarkly_owner_new();
    CHECK_INT(hoist_launchdarkly_observe_all(client, owner, &table), HOIST_OK);
    if (round % 2 == 0) CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
    hoist_client_free(client);
    CHECK(reaches(&told.released, 3 * round));
    hoist_launchdarkly_owner_free(owner);
  }
  CHECK_INT(told.inside, 0);
}

static void changed_and_free(void *user_data, const hoist_launchdarkly_change *changes, size_t count) {
  notes *told = (notes *)user_data;
  hoist_launchdarkly_owner_free(told->owner);
  note_change(told, changes, count);
}

/* LD-36 */
TEST(an_observer_may_free_its_owner) {
  notes told = nothing, other = nothing;
  serve(1);
  hoist_client *client = host_open(polling());
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  hoist_launchdarkly_owner *keeper = hoist_launchdarkly_owner_new();
  hoist_launchdarkly_observer table = observer(&told), another = observer(&other);
  told.owner = hoist_launchdarkly_owner_new();
  table.changed = changed_and_free;
  CHECK_INT(hoist_launchdarkly_observe_all(client, told.owner, &table), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_observe_all(client, keeper, &another), HOIST_OK);
  serve(2);
  CHECK(reaches(&other.calls, 1));
  serve(3);
  CHECK(reaches(&other.calls, 2));
  CHECK(reaches(&told.released, 1));
  hoist_client_free(client);
  hoist_launchdarkly_owner_free(keeper);
  CHECK(reaches(&other.released, 1));
  CHECK(told.calls == 1 && told.released == 1);
}

static void changed_and_stuck(void *user_data, const hoist_launchdarkly_change *changes, size_t count) {
  notes *told = (notes *)user_data;
  bool is_held = true;
  note_change(told, changes, count);
  while (is_held) {
    usleep(1000);
    pthread_mutex_lock(&lock);
    is_held = told->is_held;
    pthread_mutex_unlock(&lock);
  }
}

/* LD-36 */
TEST(an_owner_may_be_freed_while_its_observer_runs) {
  notes told = nothing;
  serve(1);
  hoist_client *client = host_open(polling());
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  hoist_launchdarkly_owner *owner = hoist_launchdarkly_owner_new();
  hoist_launchdarkly_observer table = observer(&told);
  table.changed = changed_and_stuck;
  told.is_held = true;
  CHECK_INT(hoist_launchdarkly_observe_all(client, owner, &table), HOIST_OK);
  serve(2);
  CHECK(reaches(&told.calls, 1));
  serve(3);
  usleep(100000); /* polled by now: a call is queued behind the one that runs */
  hoist_launchdarkly_owner_free(owner);
  CHECK_INT(read_int(&told.released), 0);
  pthread_mutex_lock(&lock);
  told.is_held = false;
  pthread_mutex_unlock(&lock);
  CHECK(reaches(&told.released, 1));
  hoist_client_free(client);
  CHECK(told.calls == 1 && told.released == 1);
}

static void changed_and_busy(void *user_data, const hoist_launchdarkly_change *changes, size_t count) {
  notes *told = (notes *)user_data;
  hoist_context *user = hoist_context_new("from-inside");
  int refused = (hoist_launchdarkly_identify_wait(told->client, user, 100, 0, NULL) == HOIST_ERR_STATE) +
                (hoist_client_close(told->client, 100) == HOIST_ERR_STATE) +
                (hoist_launchdarkly_start_wait(told->client, 100, NULL) == HOIST_ERR_STATE);
  int begun = hoist_launchdarkly_identify(told->client, user, 10000, 0, identified, told) == HOIST_OK;
  hoist_context_free(user);
  pthread_mutex_lock(&lock);
  told->inside = refused + begun;
  pthread_mutex_unlock(&lock);
  note_change(told, changes, count);
}

TEST(an_observer_may_identify_and_is_refused_what_would_wait) {
  notes told = nothing;
  serve(1);
  hoist_client *client = host_open(polling());
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  hoist_launchdarkly_owner *owner = hoist_launchdarkly_owner_new();
  hoist_launchdarkly_observer table = observer(&told);
  table.changed = changed_and_busy;
  told.client = client;
  CHECK_INT(hoist_launchdarkly_observe_flag(client, owner, "n", &table), HOIST_OK);
  serve(2);
  CHECK(reaches(&told.calls, 1) && reaches(&told.done, 1));
  CHECK_INT(told.inside, 4);
  CHECK_INT(told.last_result, HOIST_LAUNCHDARKLY_IDENTIFY_COMPLETE);
  hoist_launchdarkly_owner_free(owner);
  hoist_client_free(client);
  CHECK(reaches(&told.released, 1));
}

/* LD-36, LD-37 */
TEST(observers_run_where_the_host_dispatches) {
  notes told = nothing;
  hoist_config *config = polling();
  host_set(config, "dispatch", "manual");
  serve(1);
  hoist_client *client = host_open(config);
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  hoist_launchdarkly_owner *owner = hoist_launchdarkly_owner_new();
  hoist_launchdarkly_observer table = observer(&told);
  CHECK_INT(hoist_launchdarkly_observe_all(client, owner, &table), HOIST_OK);
  serve(2);
  while (hoist_client_int64(client, "n", NULL, 0, NULL) != 2) usleep(1000);
  CHECK_INT(read_int(&told.calls), 0);
  for (int left = 5000; left > 0 && read_int(&told.calls) == 0; left--) {
    (void)hoist_client_dispatch(client, 0);
    usleep(1000);
  }
  CHECK_INT(told.calls, 1);
  serve(3);
  while (hoist_client_int64(client, "n", NULL, 0, NULL) != 3) usleep(1000);
  usleep(20000);
  hoist_launchdarkly_owner_free(owner);
  (void)hoist_client_dispatch(client, 0);
  CHECK(told.calls == 1 && told.released == 1);
  hoist_client_free(client);
}

/* LD-17 */
TEST(a_closed_client_is_silent) {
  notes told = nothing;
  serve(1);
  hoist_client *client = host_open(polling());
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  hoist_launchdarkly_owner *owner = hoist_launchdarkly_owner_new();
  hoist_launchdarkly_observer table = observer(&told);
  CHECK_INT(hoist_launchdarkly_observe_all(client, owner, &table), HOIST_OK);
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
  hoist_client_free(client);
  hoist_launchdarkly_owner_free(owner);
  CHECK(reaches(&told.released, 1));
}

int main(void) {
  RUN(an_offline_start_is_complete_at_once_and_happens_once);
  RUN(a_start_is_complete_with_the_first_flags);
  RUN(an_identify_says_how_it_ended);
  RUN(an_environment_belongs_to_the_first);
  RUN(observers_hear_of_their_flags);
  RUN(release_runs_once_whatever_happens);
  RUN(release_does_not_run_on_the_network_thread);
  RUN(an_observer_may_free_its_owner);
  RUN(an_owner_may_be_freed_while_its_observer_runs);
  RUN(an_observer_may_identify_and_is_refused_what_would_wait);
  RUN(observers_run_where_the_host_dispatches);
  RUN(a_closed_client_is_silent);
  return check_summary();
}
