/* Provider plug-ins: requests, timers, the store, events, and the end of all that. */
#include <signal.h>
#include <sys/wait.h>

#include "provider.h"

/* ---- Replies ---- */

static void take_status(void *user_data, hoist_status status) {
  __atomic_store_n((int *)user_data, (int)status + 1, __ATOMIC_SEQ_CST);
}

TEST(a_reply_completes_once_and_late_ones_are_harmless) {
  service own;
  service_begin(&own);
  own.keeps_replies = true;
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  hoist_context *first = hoist_context_new("first"), *second = hoist_context_new("second");
  int told[2] = {0, 0};
  CHECK_INT(hoist_client_identify(client, first, take_status, &told[0]), HOIST_OK);
  CHECK(eventually(&own.identified, 1));
  hoist_provider_reply *older = READ(own.reply);
  CHECK_INT(hoist_client_identify(client, second, take_status, &told[1]), HOIST_OK);
  CHECK(eventually(&told[0], 1));
  CHECK_INT(told[0] - 1, HOIST_ERR_SUPERSEDED);
  CHECK(eventually(&own.identified, 2));
  hoist_provider_reply_complete(older, HOIST_ERR_NETWORK);
  hoist_provider_reply *newer = READ(own.reply);
  hoist_provider_reply_complete(newer, HOIST_OK);
  hoist_provider_reply_complete(newer, HOIST_ERR_NETWORK);
  hoist_provider_reply_complete(NULL, HOIST_OK);
  CHECK(eventually(&told[1], 1));
  CHECK_INT(told[1] - 1, HOIST_OK);
  CHECK_INT(told[0] - 1, HOIST_ERR_SUPERSEDED);

  /* Nobody completes it: the caller's patience ends, not the client's life. */
  CHECK_INT(hoist_client_flush(client, 50), HOIST_ERR_TIMEOUT);
  hoist_provider_reply *unfinished = READ(own.reply);
  CHECK_INT(hoist_client_close(client, 200), HOIST_ERR_TIMEOUT);
  hoist_context_free(first);
  hoist_context_free(second);
  CHECK(ends_well(&own, client));
  hoist_provider_reply_complete(unfinished, HOIST_OK);
}

/* ---- Requests and timers ---- */

typedef struct asked {
  service *own;
  int calls, status, http_status;
  char body[40], message[80];
} asked;

static void answered(void *user_data, const hoist_http_answer *answer) {
  asked *own = (asked *)user_data;
  enter(own->own);
  own->status = answer->status;
  own->http_status = answer->http_status;
  snprintf(own->body, sizeof own->body, "%.*s", (int)answer->body_size, (const char *)answer->body);
  snprintf(own->message, sizeof own->message, "%s", answer->message);
  leave(own->own);
  COUNT(own->calls);
}
static void due(void *user_data) {
  asked *own = (asked *)user_data;
  enter(own->own);
  leave(own->own);
  COUNT(own->calls);
}
static void loaded(void *user_data, hoist_status status, const void *value, size_t size) {
  asked *own = (asked *)user_data;
  own->status = status;
  snprintf(own->body, sizeof own->body, "%.*s", (int)size, value ? (const char *)value : "");
  COUNT(own->calls);
}

static hoist_http_request get(const char *url) {
  hoist_http_request request;
  memset(&request, 0, sizeof request);
  request.struct_size = sizeof request;
  request.url = url;
  return request;
}

TEST(requests_are_answered_on_the_lane) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  asked one = {&own, 0, 0, 0, "", ""}, two = one;
  hoist_http_request request = get("http://flags.example/flags");
  hoist_token token = 0;
  CHECK_INT(hoist_provider_host_send(own.host, &request, answered, &one, &token), HOIST_OK);
  CHECK(token != 0);
  CHECK(eventually(&one.calls, 1));
  CHECK_INT(one.status, HOIST_OK);
  CHECK_INT(one.http_status, 200);
  CHECK_TEXT(one.body, "the flags");
  CHECK_TEXT(one.message, "");
  CHECK_INT(hoist_provider_host_cancel(own.host, token), HOIST_ERR_NOT_FOUND);
  own.http_status = 0;
  CHECK_INT(hoist_provider_host_send(own.host, &request, answered, &two, NULL), HOIST_OK);
  CHECK(eventually(&two.calls, 1));
  CHECK_INT(two.status, HOIST_ERR_NETWORK);
  CHECK_TEXT(two.message, "away");

  request.is_stream = true;
  CHECK_INT(hoist_provider_host_send(own.host, &request, answered, &two, NULL), HOIST_ERR_UNSUPPORTED);
  const hoist_header smuggled = {"X", "a\r\nb: c"};
  request = get("http://flags.example/");
  request.headers = &smuggled;
  request.header_count = 1;
  CHECK_INT(hoist_provider_host_send(own.host, &request, answered, &two, NULL), HOIST_ERR_ARGUMENT);
  request = get("http://flags.example/");
  request.method = "GET /";
  CHECK_INT(hoist_provider_host_send(own.host, &request, answered, &two, NULL), HOIST_ERR_ARGUMENT);
  request = get("http://flags.example/");
  request.body_size = 3;
  CHECK_INT(hoist_provider_host_send(own.host, &request, answered, &two, NULL), HOIST_ERR_ARGUMENT);
  request = get(NULL);
  CHECK_INT(hoist_provider_host_send(own.host, &request, answered, &two, NULL), HOIST_ERR_ARGUMENT);
  request = get("\xff");
  CHECK_INT(hoist_provider_host_send(own.host, &request, answered, &two, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_provider_host_send(own.host, NULL, answered, &two, NULL), HOIST_ERR_ARGUMENT);
  request = get("http://flags.example/");
  CHECK_INT(hoist_provider_host_send(own.host, &request, NULL, &two, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_client_set_online(client, false), HOIST_OK);
  CHECK(eventually(&own.switched, 1));
  CHECK(!hoist_provider_host_is_online(own.host));
  CHECK_INT(hoist_provider_host_send(own.host, &request, answered, &two, NULL), HOIST_ERR_STATE);
  CHECK_INT(two.calls, 1);
  CHECK(ends_well(&own, client));
}

TEST(timers_end_with_one_call_or_are_cancelled) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  asked one = {&own, 0, 0, 0, "", ""}, two = one, three = one;
  hoist_token token = 0, last = 0;
  CHECK_INT(hoist_provider_host_schedule(own.host, 3600000, due, &two, &token), HOIST_OK);
  CHECK_INT(hoist_provider_host_schedule(own.host, INT64_MAX, due, &three, NULL), HOIST_OK);
  CHECK_INT(hoist_provider_host_schedule(own.host, -5, due, &one, &last), HOIST_OK);
  CHECK(last > token);
  CHECK(eventually(&one.calls, 1));
  CHECK_INT(hoist_provider_host_cancel(own.host, token), HOIST_OK);
  CHECK_INT(hoist_provider_host_cancel(own.host, token), HOIST_ERR_NOT_FOUND);
  CHECK_INT(hoist_provider_host_cancel(own.host, last), HOIST_ERR_NOT_FOUND);
  CHECK_INT(hoist_provider_host_cancel(own.host, 4711), HOIST_ERR_NOT_FOUND);
  CHECK_INT(hoist_provider_host_schedule(own.host, 0, NULL, NULL, NULL), HOIST_ERR_ARGUMENT);
  int taken = 0;
  while (taken < 2000 && hoist_provider_host_schedule(own.host, 3600000, due, &two, NULL) == HOIST_OK) taken++;
  CHECK_INT(taken, 1023); /* and the one that never ends */
  CHECK_INT(hoist_client_close(client, 20000), HOIST_OK);
  CHECK_INT(one.calls + two.calls + three.calls, 1);
  CHECK_INT(hoist_provider_host_schedule(own.host, 0, due, &one, NULL), HOIST_ERR_STATE);
  CHECK(ends_well(&own, client));
  CHECK_INT(hoist_provider_host_schedule(own.host, 0, due, &one, NULL), HOIST_ERR_STATE);
}

TEST(a_timer_that_is_due_while_the_lane_is_full_comes_later) {
  enum { LANE_CAPACITY = 1024, REFUSED = 50 };
  service own;
  service_begin(&own);
  own.sticks_in_refresh = true;
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  asked one = {&own, 0, 0, 0, "", ""};
  CHECK(eventually(&own.started, 1));
  CHECK_INT(hoist_client_refresh(client), HOIST_OK);
  CHECK(eventually(&own.refreshed, 1));
  for (int call = 0; call < LANE_CAPACITY + REFUSED; call++) CHECK_INT(hoist_client_refresh(client), HOIST_OK);
  CHECK_INT(hoist_provider_host_schedule(own.host, 0, due, &one, NULL), HOIST_OK);
  bool is_refused = false;
  for (int attempt = 0; attempt < 4000 && !is_refused; attempt++) {
    hoist_text *statistics = hoist_client_statistics(client);
    const char *refused = strstr(hoist_text_data(statistics), "\"refused\":");
    is_refused = refused && atoi(refused + strlen("\"refused\":")) > REFUSED;
    hoist_text_free(statistics);
    usleep(5000);
  }
  CHECK(is_refused);
  CHECK_INT(READ(one.calls), 0);
  __atomic_store_n(&own.is_gate_open, true, __ATOMIC_SEQ_CST);
  CHECK(eventually(&one.calls, 1));
  CHECK(ends_well(&own, client));
}

TEST(values_are_kept_and_read) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  asked one = {&own, 0, 0, 0, "", ""};
  CHECK_INT(hoist_provider_host_save(own.host, "flags", "kept", 4), HOIST_OK);
  CHECK_INT(hoist_provider_host_load(own.host, "flags", loaded, &one), HOIST_OK);
  CHECK(eventually(&one.calls, 1));
  CHECK_INT(one.status, HOIST_OK);
  CHECK_TEXT(one.body, "kept");
  CHECK_INT(hoist_provider_host_remove(own.host, "flags"), HOIST_OK);
  CHECK_INT(hoist_provider_host_load(own.host, "flags", loaded, &one), HOIST_OK);
  CHECK(eventually(&one.calls, 2));
  CHECK_INT(one.status, HOIST_ERR_NOT_FOUND);
  CHECK_INT(hoist_provider_host_save(own.host, NULL, "kept", 4), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_provider_host_save(own.host, "", "kept", 4), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_provider_host_save(own.host, "\xff", "kept", 4), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_provider_host_save(own.host, "k", NULL, 4), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_provider_host_save(own.host, "k", "", (size_t)-1), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_provider_host_load(own.host, "k", NULL, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_provider_host_load(own.host, NULL, loaded, &one), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_provider_host_remove(own.host, NULL), HOIST_ERR_ARGUMENT);
  CHECK(ends_well(&own, client));
}

/* ---- Events ---- */

static long long counter(hoist_client *client, const char *group, const char *name) {
  char wanted[60];
  hoist_text *statistics = hoist_client_statistics(client);
  snprintf(wanted, sizeof wanted, "\"%s\":{", group);
  const char *place = strstr(hoist_text_data(statistics), wanted);
  snprintf(wanted, sizeof wanted, "\"%s\":", name);
  place = place ? strstr(place, wanted) : NULL;
  long long value = place ? atoll(place + strlen(wanted)) : -1;
  hoist_text_free(statistics);
  return value;
}

static hoist_status track(hoist_client *client, const char *key, const char *who) {
  hoist_property properties[2] = {{"a", "text", 0}, {"b", NULL, 2}};
  hoist_event event;
  memset(&event, 0, sizeof event);
  event.struct_size = sizeof event;
  event.value = 19.5;
  event.properties = properties;
  event.property_count = 2;
  hoist_context *context = hoist_context_new(who);
  hoist_status status = hoist_client_track(client, key, context, &event);
  hoist_context_free(context);
  return status;
}

TEST(events_are_encoded_and_their_answers_classified) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  CHECK_INT(track(client, "buy", "u"), HOIST_OK);
  CHECK_INT(track(client, "look", NULL), HOIST_OK);
  CHECK_INT(hoist_provider_host_record(own.host, "events", "", "raw", 3), HOIST_OK);
  CHECK_INT(hoist_provider_host_record(own.host, "nothing", "", "raw", 3), HOIST_ERR_NOT_FOUND);
  CHECK_INT(hoist_provider_host_record(own.host, NULL, "", "raw", 3), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_provider_host_record(own.host, "events", "\xff", "raw", 3), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_provider_host_record(own.host, "events", "", NULL, 3), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_provider_host_record(own.host, "events", "", "raw", (size_t)-1), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_OK);
  CHECK_INT(own.flushed, 1);
  CHECK_INT(own.encoded, 1);
  CHECK_INT(own.sent_rows, 3);
  CHECK_INT(counter(client, "events", "delivered"), 3);
  /* Once more, with nothing to send. */
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_OK);
  CHECK_INT(own.encoded, 1);
  CHECK(ends_well(&own, client));
}

TEST(verdicts_of_the_provider_count) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  own.http_status = 503;
  own.retry_after_ms = 3600000;
  for (int number = 0; number < 4; number++) CHECK_INT(track(client, "buy", "u"), HOIST_OK);
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_ERR_NETWORK);
  CHECK_INT(own.classified, 1);
  CHECK_INT(counter(client, "events", "in_flight"), 4); /* a batch that waits for its next attempt */
  hoist_client_free(client);
  CHECK(eventually(&own.released, 1));

  service_begin(&own);
  table = table_of(&own);
  client = own_client(&table);
  own.http_status = 413;
  own.verdict = HOIST_ERR_LIMIT;
  for (int number = 0; number < 4; number++) CHECK_INT(track(client, "buy", "u"), HOIST_OK);
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_OK);
  CHECK_INT(counter(client, "events", "rejected"), 4); /* 4, 2, 1: each alone too large in the end */
  own.verdict = HOIST_ERR_ARGUMENT;
  CHECK_INT(track(client, "buy", "u"), HOIST_OK);
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_OK);
  CHECK_INT(counter(client, "events", "rejected"), 5);
  CHECK_INT(own.sent_rows, 0);
  own.encoding = HOIST_ERR_ARGUMENT;
  CHECK_INT(track(client, "buy", "u"), HOIST_OK);
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_OK);
  CHECK_INT(counter(client, "events", "rejected"), 6);
  own.encoding = HOIST_ERR_PLUGIN;
  CHECK_INT(track(client, "buy", "u"), HOIST_OK);
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_ERR_NETWORK);
  CHECK_INT(counter(client, "events", "in_flight"), 1);
  CHECK(ends_well(&own, client));
}

TEST(without_classify_statuses_mean_what_they_mostly_do) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  table.classify = NULL;
  hoist_client *client = own_client(&table);
  CHECK_INT(track(client, "buy", "u"), HOIST_OK);
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_OK);
  CHECK_INT(counter(client, "events", "delivered"), 1);
  own.http_status = 400;
  CHECK_INT(track(client, "buy", "u"), HOIST_OK);
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_OK);
  CHECK_INT(counter(client, "events", "rejected"), 1);
  own.http_status = 500;
  CHECK_INT(track(client, "buy", "u"), HOIST_OK);
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_ERR_NETWORK);
  CHECK_INT(hoist_client_set_online(client, false), HOIST_OK);
  own.http_status = 200;
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_ERR_NETWORK);
  CHECK_INT(hoist_client_set_online(client, true), HOIST_OK);
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_OK);
  CHECK_INT(counter(client, "events", "delivered"), 2);
  CHECK(ends_well(&own, client));
}

/* ---- The end, and a new beginning ---- */

TEST(a_closed_client_starts_again_with_its_instance) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  for (int round = 1; round <= 3; round++) {
    CHECK(hoist_client_bool(client, "on", NULL, false, NULL));
    CHECK_INT(hoist_client_close(client, 20000), HOIST_OK);
    CHECK_INT(own.stopped, round);
    CHECK_INT(publish_some(&own), HOIST_ERR_STATE);
    CHECK_INT(hoist_provider_host_record(own.host, "events", "", "raw", 3), HOIST_ERR_STATE);
    CHECK(!hoist_client_bool(client, "on", NULL, false, NULL));
    CHECK_INT(hoist_client_reopen(client, NULL), HOIST_OK);
    CHECK(eventually(&own.started, round + 1));
  }
  CHECK_INT(own.created, 1);
  CHECK(ends_well(&own, client));
}

TEST(several_clients_have_an_instance_each) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  CHECK_INT(hoist_provider_register(&table, NULL), HOIST_OK);
  hoist_config *config = own_config(&own);
  hoist_client *clients[8];
  for (int index = 0; index < 8; index++) CHECK_INT(hoist_client_open(config, &clients[index], NULL), HOIST_OK);
  hoist_config_free(config);
  CHECK_INT(hoist_provider_unregister("own", NULL), HOIST_OK);
  CHECK(eventually(&own.started, 8));
  /* The handle of the last one serves that one alone. */
  CHECK(hoist_client_bool(clients[7], "on", NULL, false, NULL));
  for (int index = 0; index < 8; index++) {
    CHECK_INT(own.released, 0);
    hoist_client_free(clients[index]);
  }
  CHECK(eventually(&own.released, 1));
  CHECK_INT(own.destroyed, 8);
}

/* G4, G11: a member that does not return keeps nobody but itself. */
TEST(a_stuck_member_holds_up_neither_evaluations_nor_the_end) {
  service own;
  service_begin(&own);
  own.sticks_in_refresh = true;
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  CHECK_INT(hoist_client_refresh(client), HOIST_OK);
  CHECK(eventually(&own.refreshed, 1));
  CHECK(hoist_client_bool(client, "on", NULL, false, NULL));
  CHECK_INT(hoist_client_int64(client, "size", NULL, 7, NULL), 10);
  CHECK_INT(hoist_client_identify_wait(client, NULL, 50), HOIST_ERR_TIMEOUT);
  CHECK_INT(track(client, "buy", "u"), HOIST_OK);
  CHECK_INT(hoist_client_close(client, 300), HOIST_ERR_TIMEOUT);
  hoist_client_free(client);
  CHECK_INT(own.destroyed, 0);
  CHECK_INT(publish_some(&own), HOIST_ERR_STATE);
  __atomic_store_n(&own.is_gate_open, true, __ATOMIC_SEQ_CST);
  CHECK(eventually(&own.released, 1));
  CHECK_INT(own.destroyed, 1);
  CHECK_INT(own.stopped, 0);
  CHECK_INT(own.identified, 0); /* after the end no call begins */
  CHECK_INT(own.overlaps, 0);
}

/* G9: the child has the parent's flags, and its own instance of everything that runs. */
TEST(a_forked_child_goes_on) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  CHECK_INT(track(client, "parent", "u"), HOIST_OK);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    bool is_good = hoist_client_bool(client, "on", NULL, false, NULL) &&
                   hoist_client_int64(client, "size", NULL, 7, NULL) == 10 && eventually(&own.started, 2) && own.forked == 1;
    is_good = is_good && track(client, "child", "u") == HOIST_OK && hoist_client_flush(client, 20000) == HOIST_OK;
    is_good = is_good && own.sent_rows == 1 && hoist_client_close(client, 20000) == HOIST_OK;
    hoist_client_free(client);
    is_good = is_good && eventually(&own.released, 1) && own.destroyed == 1;
    _exit(is_good ? 0 : 1);
  }
  int status = 0;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK_INT(status, 0);
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_OK);
  CHECK_INT(own.sent_rows, 1);
  CHECK_INT(own.forked, 0);
  CHECK(ends_well(&own, client));
}

/* Every function, with a handle that is none and one that has ended. */
TEST(a_host_that_is_none_is_harmless) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  CHECK(ends_well(&own, client));
  hoist_provider_host *hosts[2] = {NULL, own.host};
  asked one = {&own, 0, 0, 0, "", ""};
  hoist_http_request request = get("http://flags.example/");
  hoist_flag_set *set = hoist_flag_set_new();
  for (int index = 0; index < 2; index++) {
    hoist_provider_host *host = hosts[index];
    hoist_status expected = host ? HOIST_ERR_STATE : HOIST_ERR_ARGUMENT;
    CHECK_INT(hoist_provider_host_publish(host, set, NULL), expected);
    CHECK(hoist_provider_host_property(host, "online") == NULL);
    CHECK(hoist_provider_host_context(host) == NULL);
    CHECK(!hoist_provider_host_is_online(host));
    CHECK_INT(hoist_provider_host_unix_ms(host), 0);
    CHECK_INT(hoist_provider_host_monotonic_ms(host), 0);
    hoist_provider_host_log(host, HOIST_LOG_ERROR, "line");
    CHECK_INT(hoist_provider_host_set_state(host, HOIST_CLIENT_ERROR, NULL), expected);
    CHECK_INT(hoist_provider_host_send(host, &request, answered, &one, NULL), expected);
    CHECK_INT(hoist_provider_host_schedule(host, 0, due, &one, NULL), expected);
    CHECK_INT(hoist_provider_host_cancel(host, 1), expected);
    CHECK_INT(hoist_provider_host_load(host, "k", loaded, &one), expected);
    CHECK_INT(hoist_provider_host_save(host, "k", "v", 1), expected);
    CHECK_INT(hoist_provider_host_remove(host, "k"), expected);
    CHECK_INT(hoist_provider_host_record(host, "events", "", "", 0), expected);
  }
  hoist_flag_set_free(set);
  CHECK_INT(one.calls, 0);
}

int main(void) {
  RUN(a_reply_completes_once_and_late_ones_are_harmless);
  RUN(requests_are_answered_on_the_lane);
  RUN(timers_end_with_one_call_or_are_cancelled);
  RUN(a_timer_that_is_due_while_the_lane_is_full_comes_later);
  RUN(values_are_kept_and_read);
  RUN(events_are_encoded_and_their_answers_classified);
  RUN(verdicts_of_the_provider_count);
  RUN(without_classify_statuses_mean_what_they_mostly_do);
  RUN(a_closed_client_starts_again_with_its_instance);
  RUN(several_clients_have_an_instance_each);
  RUN(a_stuck_member_holds_up_neither_evaluations_nor_the_end);
  RUN(a_forked_child_goes_on);
  RUN(a_host_that_is_none_is_harmless);
  return check_summary();
}
