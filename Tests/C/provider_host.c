/* Provider plug-ins: requests, timers and the store, which the host lends them. */
#include "provider.h"

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
  const hoist_header smuggled = {sizeof smuggled, "X", "a\r\nb: c"};
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
  RUN(requests_are_answered_on_the_lane);
  RUN(timers_end_with_one_call_or_are_cancelled);
  RUN(a_timer_that_is_due_while_the_lane_is_full_comes_later);
  RUN(values_are_kept_and_read);
  RUN(a_host_that_is_none_is_harmless);
  return check_summary();
}
