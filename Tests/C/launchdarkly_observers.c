/* Observers of LaunchDarkly clients that do what observers may do: end themselves, identify, close. */
#include "launchdarkly_service.h"

/* (LD-30 to LD-33, LD-35; ready) */
TEST(observers_hear_of_their_flags) {
  notes of_flag = nothing, of_flags = nothing, of_nothing = nothing;
  hoist_token tokens[3];
  const char *keys[] = {"fixed", "n", "n"};
  serve(1);
  hoist_client *client = host_open(polling());
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  hoist_launchdarkly_observer tables[] = {observer(&of_flag), observer(&of_flags), observer(&of_nothing)};
  CHECK_INT(hoist_launchdarkly_observe_flag(client, "n", &tables[0], &tokens[0]), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_observe_flags(client, keys, 3, &tables[1], &tokens[1]), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_observe_unchanged(client, &tables[2], &tokens[2]), HOIST_OK);
  CHECK(reaches(&of_nothing.calls, 2));
  serve(2);
  CHECK(reaches(&of_flag.calls, 1) && reaches(&of_flags.calls, 1));
  CHECK(strcmp(of_flag.last, "n 1>2") == 0 && of_flags.count == 1);
  for (int at = 0; at < 3; at++) CHECK_INT(hoist_client_unobserve(client, tokens[at]), HOIST_OK);
  CHECK_INT(hoist_client_unobserve(client, tokens[0]), HOIST_ERR_NOT_FOUND);
  CHECK(reaches(&of_flag.released, 1) && reaches(&of_flags.released, 1) && reaches(&of_nothing.released, 1));
  hoist_client_free(client);
  CHECK(of_flag.calls == 1 && of_flag.released == 1);
}

TEST(release_runs_once_whatever_happens) {
  notes told = nothing;
  hoist_token token = 1;
  hoist_launchdarkly_observer table = observer(&told), of_nothing = observer(&told);
  hoist_client *client = host_open(host_launchdarkly_config());
  CHECK_INT(hoist_launchdarkly_observe_all(NULL, &table, &token), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_observe_flag(client, NULL, &table, &token), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_observe_flags(client, NULL, 0, &table, &token), HOIST_ERR_ARGUMENT);
  of_nothing.changed = NULL; /* what is to be told of has no function */
  CHECK_INT(hoist_launchdarkly_observe_all(client, &of_nothing, &token), HOIST_ERR_ARGUMENT);
  CHECK(told.released == 4 && token == 0);
  CHECK_INT(hoist_launchdarkly_observe_all(client, &table, &token), HOIST_OK);
  CHECK(told.released == 4 && token != 0);
  CHECK(host_close_offline(client));
  CHECK_INT(hoist_launchdarkly_observe_unchanged(client, &table, NULL), HOIST_OK);
  CHECK_INT(told.released, 4);
  hoist_client_free(client);
  CHECK(reaches(&told.released, 6));
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
    CHECK_INT(hoist_launchdarkly_observe_all(client, &table, NULL), HOIST_OK);
    if (round % 2 == 0) CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
    hoist_client_free(client);
    CHECK(reaches(&told.released, 3 * round));
  }
  CHECK_INT(told.inside, 0);
}

static void changed_and_ended(void *user_data, const hoist_launchdarkly_change *changes, size_t count) {
  notes *told = (notes *)user_data;
  CHECK_INT(hoist_client_unobserve(told->client, told->token), HOIST_OK);
  note_change(told, changes, count);
}

/* (LD-36; ready) */
TEST(an_observer_may_end_itself) {
  notes told = nothing, other = nothing;
  serve(1);
  hoist_client *client = host_open(polling());
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  hoist_launchdarkly_observer table = observer(&told), another = observer(&other);
  told.client = client;
  table.changed = changed_and_ended;
  CHECK_INT(hoist_launchdarkly_observe_all(client, &table, &told.token), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_observe_all(client, &another, NULL), HOIST_OK);
  serve(2);
  CHECK(reaches(&other.calls, 1));
  serve(3);
  CHECK(reaches(&other.calls, 2));
  CHECK(reaches(&told.released, 1));
  hoist_client_free(client);
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

/* (LD-36; slow plug-in) */
TEST(an_observer_may_be_ended_while_it_runs) {
  notes told = nothing;
  serve(1);
  hoist_client *client = host_open(polling());
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  hoist_launchdarkly_observer table = observer(&told);
  table.changed = changed_and_stuck;
  told.is_held = true;
  CHECK_INT(hoist_launchdarkly_observe_all(client, &table, &told.token), HOIST_OK);
  serve(2);
  CHECK(reaches(&told.calls, 1));
  serve(3);
  usleep(100000); /* polled by now: a call is queued behind the one that runs */
  CHECK_INT(hoist_client_unobserve(client, told.token), HOIST_OK);
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
  hoist_launchdarkly_observer table = observer(&told);
  table.changed = changed_and_busy;
  told.client = client;
  CHECK_INT(hoist_launchdarkly_observe_flag(client, "n", &table, NULL), HOIST_OK);
  serve(2);
  CHECK(reaches(&told.calls, 1) && reaches(&told.done, 1));
  CHECK_INT(told.inside, 4);
  CHECK_INT(told.last_result, HOIST_LAUNCHDARKLY_IDENTIFY_COMPLETE);
  hoist_client_free(client);
  CHECK(reaches(&told.released, 1));
}

/* (LD-36, LD-37; ready) */
TEST(observers_run_where_the_host_dispatches) {
  notes told = nothing;
  hoist_config *config = polling();
  host_set(config, "dispatch", "manual");
  serve(1);
  hoist_client *client = host_open(config);
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  hoist_launchdarkly_observer table = observer(&told);
  CHECK_INT(hoist_launchdarkly_observe_all(client, &table, &told.token), HOIST_OK);
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
  CHECK_INT(hoist_client_unobserve(client, told.token), HOIST_OK);
  (void)hoist_client_dispatch(client, 0);
  CHECK(told.calls == 1 && told.released == 1);
  hoist_client_free(client);
}

int main(void) {
  RUN(observers_hear_of_their_flags);
  RUN(release_runs_once_whatever_happens);
  RUN(release_does_not_run_on_the_network_thread);
  RUN(an_observer_may_end_itself);
  RUN(an_observer_may_be_ended_while_it_runs);
  RUN(an_observer_may_identify_and_is_refused_what_would_wait);
  RUN(observers_run_where_the_host_dispatches);
  return check_summary();
}
