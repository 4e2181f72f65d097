/* Provider plug-ins: how events are encoded, and what their answers mean. */
#include <hoist/jansson.h>

#include "provider.h"

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

/* Properties as a newer header would hand them over: each as large as it says, the first one's size between them. */
TEST(properties_arrive_with_their_types_and_are_stepped_by_their_size) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  CHECK_INT(track(client, "buy", "u"), HOIST_OK);
  CHECK_TEXT(own.last, "a:0=text0 b:1=2 c:2=0! d:3=[1,{\"e\":null}]0 ");

  struct {
    hoist_event_property known;
    uint64_t newer;
  } wide[2];
  memset(wide, 0x5a, sizeof wide);
  const hoist_event_property first = {sizeof wide[0], "x", HOIST_EVENT_TEXT, "1", 0, false};
  const hoist_event_property second = {sizeof wide[0], "y", HOIST_EVENT_NUMBER, NULL, 2, false};
  wide[0].known = first;
  wide[1].known = second;
  hoist_event event = HOIST_EVENT_INIT;
  event.properties = &wide[0].known;
  event.property_count = 2;
  CHECK_INT(hoist_client_track(client, "buy", NULL, &event), HOIST_OK);
  CHECK_TEXT(own.last, "x:0=10 y:1=2 ");
  wide[1].known.struct_size = sizeof second;
  CHECK_INT(hoist_client_track(client, "buy", NULL, &event), HOIST_ERR_ARGUMENT);

  hoist_event_property bad = HOIST_EVENT_PROPERTY_INIT;
  bad.name = "x";
  event.properties = &bad;
  event.property_count = 1;
  CHECK_INT(hoist_client_track(client, "buy", NULL, &event), HOIST_ERR_ARGUMENT);
  bad.type = HOIST_EVENT_JSON;
  bad.text = "{";
  CHECK_INT(hoist_client_track(client, "buy", NULL, &event), HOIST_ERR_ARGUMENT);
  bad.type = 4;
  CHECK_INT(hoist_client_track(client, "buy", NULL, &event), HOIST_ERR_ARGUMENT);
  CHECK_INT(own.tracked, 2);

  json_t *properties = json_pack("{s:s, s:f, s:b, s:[i]}", "a", "text", "b", 0.5, "c", 1, "d", 7);
  const double value = 3;
  CHECK_INT(hoist_client_track_jansson(client, "buy", NULL, &value, properties), HOIST_OK);
  CHECK_TEXT(own.last, "a:0=text0 b:1=0.5 c:2=0! d:3=[7]0 ");
  CHECK_INT(hoist_client_track_jansson(client, "buy", NULL, NULL, NULL), HOIST_OK);
  CHECK_TEXT(own.last, "");
  /* A whole number that a double would alter is told as JSON, with all its digits. */
  json_t *whole = json_pack("{s:I, s:I}", "a", (json_int_t)9007199254740993, "b", (json_int_t)1 << 60);
  CHECK_INT(hoist_client_track_jansson(client, "buy", NULL, NULL, whole), HOIST_OK);
  CHECK_TEXT(own.last, "a:3=90071992547409930 b:1=1.15292e+18 ");
  json_decref(whole);
  int before = own.tracked;
  json_t *nul = json_pack("{s:s%}", "a", "x\0y", (size_t)3), *broken = json_object(), *unnamed = json_pack("{s:i}", "", 1);
  json_object_set_new(broken, "a", json_string_nocheck("\xff"));
  CHECK_INT(hoist_client_track_jansson(client, "buy", NULL, NULL, nul), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_client_track_jansson(client, "buy", NULL, NULL, broken), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_client_track_jansson(client, "buy", NULL, NULL, unnamed), HOIST_ERR_ARGUMENT);
  CHECK_INT(own.tracked, before);
  hoist_context *context = hoist_context_new(NULL);
  CHECK_INT(hoist_context_set_jansson(context, "a", json_object_get(broken, "a")), HOIST_ERR_ARGUMENT);
  hoist_context_free(context);
  json_decref(nul);
  json_decref(broken);
  json_decref(unnamed);
  json_t *list = json_array();
  CHECK_INT(hoist_client_track_jansson(client, "buy", NULL, NULL, list), HOIST_ERR_ARGUMENT);
  json_decref(list);
  json_decref(properties);
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
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_ERR_REJECTED);
  CHECK_INT(counter(client, "events", "rejected"), 4); /* 4, 2, 1: each alone too large in the end */
  own.verdict = HOIST_ERR_ARGUMENT;
  CHECK_INT(track(client, "buy", "u"), HOIST_OK);
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_ERR_REJECTED);
  CHECK_INT(counter(client, "events", "rejected"), 5);
  CHECK_INT(own.sent_rows, 0);
  own.encoding = HOIST_ERR_ARGUMENT;
  CHECK_INT(track(client, "buy", "u"), HOIST_OK);
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_ERR_REJECTED);
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
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_ERR_REJECTED);
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

int main(void) {
  RUN(events_are_encoded_and_their_answers_classified);
  RUN(properties_arrive_with_their_types_and_are_stepped_by_their_size);
  RUN(verdicts_of_the_provider_count);
  RUN(without_classify_statuses_mean_what_they_mostly_do);
  return check_summary();
}
