/* LaunchDarkly's calls of mode server: all flags' state, secure mode hash, observers of flags. */
#include <fcntl.h>
#include <sys/wait.h>

#include "launchdarkly_service.h"

#define INVALID "{\"$flagsState\":{},\"$valid\":false}"

static bool reads(hoist_text *text, const char *expected) {
  bool same = text && strcmp(hoist_text_data(text), expected) == 0;
  if (!same) printf("#   %s\n", text ? hoist_text_data(text) : "NULL");
  hoist_text_free(text);
  return same;
}

/* Rules of the flag "n", whose value is the number that is served. */
static hoist_status rules_send(void *user_data, const hoist_http_request *request, hoist_http_exchange *exchange) {
  char rules[300];
  int length, status = 200;
  (void)user_data;
  pthread_mutex_lock(&lock);
  length = snprintf(rules, sizeof rules,
                    "{\"flags\":{\"n\":{\"key\":\"n\",\"version\":%d,\"on\":true,\"variations\":[%d],\"fallthrough\":{\"variation\":0}},"
                    "\"fixed\":{\"key\":\"fixed\",\"version\":1}},\"segments\":{}}",
                    served_value + 1, served_value);
  pthread_mutex_unlock(&lock);
  if (!strstr(request->url, "/sdk/latest-all")) {
    status = 202;
    length = 0;
  }
  (void)hoist_http_exchange_respond(exchange, status, NULL, 0, rules, (size_t)length);
  hoist_http_exchange_release(exchange);
  return HOIST_OK;
}

/* Polls every few milliseconds. */
static hoist_client *polling_server(void) {
  hoist_config *config = polling();
  hoist_transport transport = {sizeof transport, NULL, rules_send, NULL};
  host_set(config, "mode", "server");
  host_set(config, "mobile_key", "sdk-01234567-89ab-cdef-0123-456789abcdef");
  host_set(config, "context", "{\"kind\":\"user\",\"key\":\"u\"}");
  if (hoist_config_set_transport(config, &transport, NULL) != HOIST_OK) exit(70);
  return host_open(config);
}

static void rules_changed(void *user_data, const char *const *keys, size_t count) {
  notes *told = (notes *)user_data;
  pthread_mutex_lock(&lock);
  told->count = count;
  snprintf(told->last, sizeof told->last, "%s", keys[0]);
  told->calls++;
  pthread_mutex_unlock(&lock);
}

static hoist_launchdarkly_observer rules_observer(notes *told) {
  hoist_launchdarkly_observer table = HOIST_LAUNCHDARKLY_OBSERVER_INIT;
  table.user_data = told;
  table.rules_changed = rules_changed;
  table.release = released;
  return table;
}

/* (LDS-32, LDS-33; offline, closed, reopened) */
TEST(all_flags_state_is_of_any_context) {
  hoist_client *client = host_launchdarkly_server();
  hoist_context *none = hoist_context_new(NULL), *bob = hoist_context_new("bob");
  const char *all = "{\"number\":2.5,\"stage\":\"live\",\"text\":\"red\",\"$flagsState\":{\"number\":{\"variation\":0,\"version\":1},"
                    "\"stage\":{\"variation\":0,\"version\":1},\"text\":{\"variation\":0,\"version\":1}},\"$valid\":true}";
  CHECK(reads(hoist_launchdarkly_all_flags_state(client, NULL, 0), all));
  CHECK(reads(hoist_launchdarkly_all_flags_state(client, bob, 0), all));
  CHECK(reads(hoist_launchdarkly_all_flags_state(client, bob, HOIST_LAUNCHDARKLY_CLIENT_SIDE_ONLY | HOIST_LAUNCHDARKLY_WITH_REASONS),
              "{\"$flagsState\":{},\"$valid\":true}"));
  CHECK(reads(hoist_launchdarkly_all_flags_state(client, bob, UINT32_MAX), "{\"$flagsState\":{},\"$valid\":true}"));
  CHECK(reads(hoist_launchdarkly_all_flags_state(client, none, 0), INVALID));
  CHECK(hoist_launchdarkly_all_flags_state(NULL, bob, 0) == NULL);
  CHECK_INT(hoist_client_close(client, 1000), HOIST_OK);
  CHECK(reads(hoist_launchdarkly_all_flags_state(client, bob, 0), INVALID));
  CHECK_INT(hoist_client_reopen(client, NULL), HOIST_OK);
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  CHECK(reads(hoist_launchdarkly_all_flags_state(client, bob, 0), all));
  hoist_context_free(none);
  hoist_context_free(bob);
  hoist_client_free(client);
}

/* (LDS-33; starting, closed) */
TEST(a_secure_mode_hash_is_of_any_context) {
  hoist_client *client = polling_server();
  hoist_context *none = hoist_context_new(NULL), *user = hoist_context_new("user-key-123");
  const char *hash = "73df666a13f2c474e50aa34ca5a761e89abb737fb139ff65fdde7fa85c9dcacd";
  CHECK(reads(hoist_launchdarkly_secure_mode_hash(client, user), hash));
  CHECK(reads(hoist_launchdarkly_secure_mode_hash(client, none), ""));
  CHECK(hoist_launchdarkly_secure_mode_hash(NULL, user) == NULL);
  CHECK_INT(hoist_client_close(client, 1000), HOIST_OK);
  CHECK(reads(hoist_launchdarkly_secure_mode_hash(client, user), hash));
  hoist_context_free(none);
  hoist_context_free(user);
  hoist_client_free(client);
}

/* (LDS-62; ready) */
TEST(observers_hear_of_rules_and_of_values) {
  notes of_rules = nothing, of_value = nothing, of_other = nothing;
  hoist_token tokens[3];
  serve(1);
  hoist_client *client = polling_server();
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  hoist_launchdarkly_observer rules = rules_observer(&of_rules), value = observer(&of_value), other = observer(&of_other);
  hoist_context *context = hoist_context_new("k");
  CHECK_INT(hoist_launchdarkly_observe_flag_changes(client, &rules, &tokens[0]), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_observe_flag_value(client, "n", context, &value, &tokens[1]), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_observe_flag_value(client, "fixed", NULL, &other, &tokens[2]), HOIST_OK);
  hoist_context_free(context);
  serve(2);
  CHECK(reaches(&of_rules.calls, 1) && reaches(&of_value.calls, 1));
  CHECK(strcmp(of_rules.last, "n") == 0 && of_rules.count == 1);
  CHECK(strcmp(of_value.last, "n 1>2") == 0 && of_value.count == 1);
  for (int at = 0; at < 3; at++) CHECK_INT(hoist_client_unobserve(client, tokens[at]), HOIST_OK);
  CHECK(reaches(&of_rules.released, 1) && reaches(&of_value.released, 1) && reaches(&of_other.released, 1));
  CHECK_INT(of_other.calls, 0);
  hoist_client_free(client);
}

static void changed_and_ended(void *user_data, const hoist_launchdarkly_change *changes, size_t count) {
  notes *told = (notes *)user_data;
  if (hoist_client_unobserve(told->client, told->token) == HOIST_OK) told->last_status++;
  note_change(told, changes, count);
}

/* (LDS-62; ready) */
TEST(a_value_observer_may_end_itself) {
  notes told = nothing;
  serve(1);
  hoist_client *client = polling_server();
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  hoist_launchdarkly_observer table = observer(&told);
  told.client = client;
  table.changed = changed_and_ended;
  CHECK_INT(hoist_launchdarkly_observe_flag_value(client, "n", NULL, &table, &told.token), HOIST_OK);
  serve(2);
  CHECK(reaches(&told.released, 1));
  CHECK(told.calls == 1 && told.last_status == 1);
  hoist_client_free(client);
}

/* (LDS-62; offline) */
TEST(release_runs_once_whatever_happens) {
  notes told = nothing;
  hoist_token token = 1;
  hoist_launchdarkly_observer rules = rules_observer(&told), value = observer(&told);
  hoist_client *client = host_launchdarkly_server(), *other = host_launchdarkly_client(), *stranger = host_client();
  hoist_context *none = hoist_context_new(NULL);
  CHECK_INT(hoist_launchdarkly_observe_flag_changes(NULL, &rules, &token), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_observe_flag_changes(other, &rules, &token), HOIST_ERR_STATE);
  CHECK_INT(hoist_launchdarkly_observe_flag_changes(stranger, &rules, &token), HOIST_ERR_UNSUPPORTED);
  CHECK_INT(hoist_launchdarkly_observe_flag_changes(client, &value, &token), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_observe_flag_value(client, "n", NULL, &rules, &token), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_observe_flag_value(client, NULL, NULL, &value, &token), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_observe_flag_value(client, "\xff", NULL, &value, &token), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_observe_flag_value(client, "n", none, &value, &token), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_observe_flag_value(other, "n", NULL, &value, &token), HOIST_ERR_STATE);
  CHECK(told.released == 9 && token == 0);
  CHECK_INT(hoist_launchdarkly_observe_flag_changes(client, NULL, &token), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_launchdarkly_observe_flag_value(client, "n", NULL, &value, NULL), HOIST_OK);
  CHECK_INT(hoist_launchdarkly_observe_flag_changes(client, &rules, &token), HOIST_OK);
  CHECK(told.released == 9 && token != 0);
  hoist_context_free(none);
  hoist_client_free(client);
  hoist_client_free(other);
  hoist_client_free(stranger);
  CHECK(reaches(&told.released, 11));
}

/* The other mode, and other services (LDS-32, LDS-33; offline) */
TEST(other_clients_have_neither_state_nor_hash) {
  hoist_client *clients[] = {host_launchdarkly_client(), host_client()};
  hoist_context *user = hoist_context_new("u");
  for (int at = 0; at < 2; at++) {
    CHECK(reads(hoist_launchdarkly_all_flags_state(clients[at], user, 0), INVALID));
    CHECK(reads(hoist_launchdarkly_secure_mode_hash(clients[at], user), ""));
    hoist_client_free(clients[at]);
  }
  hoist_context_free(user);
}

static void *decide(void *client) {
  for (int turn = 0; turn < 2000; turn++) {
    hoist_text_free(hoist_launchdarkly_all_flags_state((hoist_client *)client, NULL, HOIST_LAUNCHDARKLY_WITH_REASONS));
    hoist_text_free(hoist_launchdarkly_secure_mode_hash((hoist_client *)client, NULL));
  }
  return NULL;
}

/* Also while other threads of the parent are inside these calls (LDS-08, LDS-32, LDS-62; forked) */
TEST(a_forked_child_goes_on) {
  pthread_t thread;
  int status = 0;
  serve(1);
  hoist_client *client = polling_server();
  CHECK_INT(hoist_client_wait_ready(client, 10000), HOIST_OK);
  CHECK_INT(pthread_create(&thread, NULL, decide, client), 0);
  for (int turn = 0; turn < 5; turn++) {
    pid_t child = fork();
    if (child == 0) {
      notes told = nothing;
      hoist_launchdarkly_observer table = observer(&told);
      alarm(60);
      hoist_text *state = hoist_launchdarkly_all_flags_state(client, NULL, 0);
      bool is_right = strstr(hoist_text_data(state), "\"n\":1") != NULL;
      is_right &= hoist_launchdarkly_observe_flag_value(client, "n", NULL, &table, NULL) == HOIST_OK;
      serve(2);
      is_right &= reaches(&told.calls, 1) && strcmp(told.last, "n 1>2") == 0;
      _exit(is_right ? 0 : 1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  CHECK_INT(pthread_join(thread, NULL), 0);
  hoist_client_free(client);
}

int main(void) {
  RUN(all_flags_state_is_of_any_context);
  RUN(a_secure_mode_hash_is_of_any_context);
  RUN(observers_hear_of_rules_and_of_values);
  RUN(a_value_observer_may_end_itself);
  RUN(release_runs_once_whatever_happens);
  RUN(other_clients_have_neither_state_nor_hash);
  RUN(a_forked_child_goes_on);
  return check_summary();
}
