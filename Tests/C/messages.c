/* What an error says is true: it names the argument that was wrong. */
#include <hoist/optimizely.h>
#include <hoist/unleash.h>

#include "check.h"
#include "host.h"

/* Whether the error is about an argument and says so; frees it. */
static bool says(hoist_error *error, const char *words) {
  const char *message = hoist_error_message(error);
  bool is_good = hoist_error_status(error) == HOIST_ERR_ARGUMENT && strstr(message, words) != NULL;
  if (!is_good) printf("#   %s\n", message);
  hoist_error_free(error);
  return is_good;
}

/* Makes every call that takes JSON with a length and can say what was wrong. */
static bool all_say(const char *json, size_t length, const char *words) {
  hoist_error *error = NULL;
  hoist_config *config = hoist_config_new("unleash");
  (void)hoist_config_set_json(config, json, length, &error);
  bool is_good = says(error, words);
  hoist_config_free(config);
  hoist_context_free(hoist_context_from_json(json, length, &error));
  is_good = says(error, words) && is_good;
  hoist_context_free(hoist_unleash_context_from_json(json, length, &error));
  is_good = says(error, words) && is_good;
  hoist_unleash_bootstrap_free(hoist_unleash_bootstrap_from_json(json, length, &error));
  is_good = says(error, words) && is_good;
  return is_good;
}

TEST(json_that_is_null_is_called_null) { CHECK(all_say(NULL, 2, "json is NULL")); }

TEST(a_length_that_no_text_has_is_called_so) {
  CHECK(all_say("{}", SIZE_MAX, "the length of json is 18446744073709551615, more than any text can have"));
}

TEST(event_tags_of_no_length_are_called_so) {
  hoist_client *client = host_optimizely_client();
  hoist_optimizely_user *user = hoist_optimizely_user_new(client, "user", NULL);
  hoist_error *error = NULL;
  (void)hoist_optimizely_user_track(user, "buy", "{}", SIZE_MAX, &error);
  bool is_length = says(error, "the length of tags_json is 18446744073709551615");
  (void)hoist_optimizely_user_track(user, "buy", NULL, 2, &error);
  bool is_null = says(error, "tags_json is NULL, but not its length");
  hoist_optimizely_user_free(user);
  hoist_client_free(client);
  CHECK(is_length && is_null);
}

int main(void) {
  RUN(json_that_is_null_is_called_null);
  RUN(a_length_that_no_text_has_is_called_so);
  RUN(event_tags_of_no_length_are_called_so);
  return check_summary();
}
