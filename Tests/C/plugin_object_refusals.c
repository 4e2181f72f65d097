/* Shared objects that cannot serve as plug-ins: what is wrong is said with the path, what was made before is released,
 * and the configuration is as it was. */
#include <sys/stat.h>
#include <unistd.h>

#include "loading.h"

#define NO_ENTRY PLUGIN_FOLDER "/no_entry" PLUGIN_SUFFIX
#define UNLINKED PLUGIN_FOLDER "/unlinked" PLUGIN_SUFFIX

/* The same where nothing may be left behind. */
static bool refused(hoist_config *config, const char *path, const char *options, hoist_status expected,
                    const char *words) {
  return is_refused(config, path, options, expected, words) && all_released();
}

static bool refused_as(const char *fault, hoist_status expected, const char *words) {
  hoist_config *config = config_of("backend");
  setenv("PLUGIN_FAULT", fault, 1);
  bool is_good = refused(config, EVERY_KIND, NULL, expected, words);
  unsetenv("PLUGIN_FAULT");
  is_good = is_good && loads(config, NULL); /* the configuration is as it was */
  hoist_config_free(config);
  return is_good && all_released();
}

TEST(a_kind_that_is_registered_already_is_refused_before_anything_is_made) {
  hoist_config *config = config_of("backend");
  CHECK(loads(config, NULL));
  counts before = so_far();
  hoist_error *error = NULL;
  CHECK_INT(hoist_config_load_plugin(config, EVERY_KIND, NULL, &error), HOIST_ERR_STATE);
  CHECK_TEXT(hoist_error_message(error),
             "the plug-in " EVERY_KIND " offers a logger, and the configuration has one already");
  hoist_error_free(error);
  CHECK_INT(made_since(before), 0);
  CHECK_INT(since(before).of[LOGGER].released, 0);
  hoist_config_free(config);
  CHECK(all_released());

  /* One that the program registered counts as well. */
  config = config_of("backend");
  hoist_unleash_strategy own = {sizeof own, NULL, NULL, NULL};
  CHECK_INT(hoist_unleash_config_add_strategy(config, "second", &own, NULL), HOIST_OK);
  CHECK(refused(config, EVERY_KIND, NULL, HOIST_ERR_STATE,
                "offers a strategy \"second\", and the configuration has one of that name already"));
  hoist_config_free(config);
}

TEST(hooks_add_up_to_their_limit) {
  hoist_config *config = config_of("backend");
  setenv("PLUGIN_FAULT", "hook only", 1);
  bool are_loaded = true;
  for (int number = 0; number < 16; number++) are_loaded = are_loaded && loads(config, NULL);
  counts before = so_far();
  hoist_error *error = NULL;
  hoist_status status = hoist_config_load_plugin(config, EVERY_KIND, NULL, &error);
  unsetenv("PLUGIN_FAULT");
  CHECK(are_loaded);
  CHECK_INT(status, HOIST_ERR_LIMIT);
  CHECK(strstr(hoist_error_message(error), "at most 16") != NULL);
  hoist_error_free(error);
  CHECK_INT(made_since(before), 0);
  hoist_config_free(config);
  CHECK(all_released());
}

TEST(a_kind_that_cannot_be_made_releases_those_made_before_it) {
  static const char *const kinds[] = {"logger",     "cache", "header_provider", "transport",
                                      "dispatcher", "hook",  "unleash_storage", "unleash_strategy"};
  for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
    char options[64], words[96];
    hoist_config *config = config_of("backend");
    counts before = so_far();
    snprintf(options, sizeof options, "fail %s", kinds[kind]);
    snprintf(words, sizeof words, "no %s today (HOIST_ERR_CONFIG, status 4)", kinds[kind]);
    CHECK(refused(config, EVERY_KIND, options, HOIST_ERR_PLUGIN, words));
    CHECK_INT(made_since(before), (int)kind);
    snprintf(options, sizeof options, "fail silently %s", kinds[kind]);
    CHECK(refused(config, EVERY_KIND, options, HOIST_ERR_PLUGIN, "(HOIST_ERR_UNKNOWN, status 4711)"));
    CHECK(loads(config, "no fault")); /* nothing of it is registered */
    hoist_config_free(config);
    CHECK(all_released());
  }
}

TEST(a_kind_that_the_options_do_not_ask_for_is_left_out) {
  hoist_config *config = config_of("backend");
  counts before = so_far();
  CHECK(loads(config, "leave out cache"));
  CHECK_INT(made_since(before), 8); /* all but one */
  hoist_config_free(config);
  config = config_of("backend");
  before = so_far();
  CHECK(refused(config, EVERY_KIND, "leave out all", HOIST_ERR_UNSUPPORTED, "HOIST_ERR_UNSUPPORTED, status 10"));
  CHECK_INT(made_since(before), 0);
  CHECK(loads(config, "no fault"));
  hoist_config_free(config);
  CHECK(all_released());
}

TEST(a_provider_that_cannot_be_made_leaves_the_configuration_without_one) {
  hoist_config *config = hoist_config_new("every-kind");
  counts before = so_far();
  CHECK(refused(config, EVERY_KIND, "fail provider", HOIST_ERR_PLUGIN, "no provider today (HOIST_ERR_CONFIG, status 4)"));
  CHECK(refused(config, EVERY_KIND, "short provider", HOIST_ERR_PLUGIN, "provider table is 3"));
  CHECK_INT(made_since(before), 1); /* the short one, of which nothing is believed but its `release` */
  CHECK(refused(config, EVERY_KIND, "fail hook", HOIST_ERR_PLUGIN, "no hook today"));
  CHECK(hoist_config_set(config, "store", "none", NULL) == HOIST_ERR_CONFIG);
  hoist_error *error = NULL;
  CHECK_INT(hoist_config_load_plugin(config, EVERY_KIND, "misname provider", &error), HOIST_ERR_PLUGIN);
  CHECK_TEXT(hoist_error_message(error), "the provider \"another\" is offered under another name, \"every-kind\"");
  hoist_error_free(error);
  hoist_config *other = hoist_config_new("every-other");
  CHECK(refused(other, EVERY_KIND, NULL, HOIST_ERR_CONFIG, "brings \"every-kind\""));
  hoist_config_free(other);
  CHECK(loads(config, "newer provider"));
  hoist_config_free(config);
  CHECK(all_released());
}

TEST(a_message_that_is_no_text_is_no_harm) {
  hoist_config *config = config_of("backend");
  CHECK(refused(config, EVERY_KIND, "custom", HOIST_ERR_PLUGIN, "could not make its unleash strategy \"custom\""));
  hoist_config_free(config);
}

TEST(a_file_that_cannot_be_loaded_is_an_io_error) {
  hoist_config *config = config_of("backend");
  char folder[] = "/tmp/hoist-plugin-XXXXXX", path[128];
  CHECK(mkdtemp(folder) != NULL);
  CHECK(refused(config, "/nonexistent/plugin.so", NULL, HOIST_ERR_IO, "No such file or directory"));
  CHECK(refused(config, folder, NULL, HOIST_ERR_IO, "it is no file"));

  snprintf(path, sizeof path, "%s/pipe", folder);
  CHECK_INT(mkfifo(path, 0600), 0);
  CHECK(refused(config, path, NULL, HOIST_ERR_IO, "it is no file")); /* at once: nobody writes into it */
  unlink(path);

  snprintf(path, sizeof path, "%s/text.so", folder);
  FILE *file = fopen(path, "w");
  CHECK(file != NULL);
  CHECK(refused(config, path, NULL, HOIST_ERR_IO, "file too short"));
  for (int line = 0; line < 1000; line++) fputs("This is no ELF file.\n", file);
  fclose(file);
  CHECK(refused(config, path, NULL, HOIST_ERR_IO, "invalid ELF header"));
  unlink(path);
  rmdir(folder);
  CHECK(refused(config, UNLINKED, NULL, HOIST_ERR_IO, "undefined symbol: hoist_test_missing_function"));
  hoist_config_free(config);
}

TEST(an_object_without_the_entry_is_named_with_the_symbol) {
  hoist_config *config = config_of("backend");
  CHECK(refused(config, NO_ENTRY, NULL, HOIST_ERR_PLUGIN, "has no symbol hoist_plugin_entry"));
  CHECK(dlopen(NO_ENTRY, RTLD_NOW | RTLD_NOLOAD) == NULL); /* it was let go */
  hoist_config_free(config);
}

TEST(an_object_that_cannot_be_loaded_cannot_be_described) {
  hoist_error *error = NULL;
  CHECK(hoist_plugin_describe(NO_ENTRY, &error) == NULL);
  CHECK_INT(hoist_error_status(error), HOIST_ERR_PLUGIN);
  hoist_error_free(error);
  CHECK(hoist_plugin_describe(NULL, &error) == NULL);
  CHECK_INT(hoist_error_status(error), HOIST_ERR_ARGUMENT);
  hoist_error_free(error);
}

TEST(a_descriptor_that_cannot_be_used_is_refused) {
  CHECK(refused_as("newer", HOIST_ERR_PLUGIN, "is of ABI version 2, and this library loads version 1"));
  CHECK(refused_as("older", HOIST_ERR_PLUGIN, "is of ABI version 0, and this library loads version 1"));
  CHECK(refused_as("short", HOIST_ERR_PLUGIN, "struct_size of its hoist_plugin is 16; it has to be 24 or more"));
  CHECK(refused_as("tiny", HOIST_ERR_PLUGIN, "struct_size of its hoist_plugin is 3"));
  CHECK(refused_as("absurd", HOIST_ERR_PLUGIN, "struct_size of its hoist_plugin is"));
  CHECK(refused_as("nameless", HOIST_ERR_PLUGIN, "has no name"));
  CHECK(refused_as("garbled", HOIST_ERR_PLUGIN, "has no name"));
  CHECK(refused_as("no such fault", HOIST_ERR_PLUGIN, "refuses to serve: its hoist_plugin_entry(1) returned NULL"));
  CHECK(refused_as("empty", HOIST_ERR_UNSUPPORTED, "offers nothing for unleash"));
  CHECK(refused_as("unleash short", HOIST_ERR_PLUGIN, "struct_size of its hoist_unleash_plugin is 3"));
  CHECK(refused_as("optimizely short", HOIST_ERR_PLUGIN, "struct_size of its hoist_optimizely_plugin is 3"));
  CHECK(refused_as("empty strategy", HOIST_ERR_PLUGIN, "a strategy whose name is empty or not UTF-8"));
  CHECK(refused_as("strategies unmade", HOIST_ERR_PLUGIN, "its create_strategy is NULL"));
  CHECK(refused_as("same strategies", HOIST_ERR_STATE, "one of that name already"));
}

TEST(a_descriptor_of_a_shorter_header_offers_what_it_has) {
  static const char *const faults[] = {"from a shorter header", "cut in a member"};
  for (size_t index = 0; index < sizeof faults / sizeof faults[0]; index++) {
    counts before = so_far();
    hoist_config *config = config_of("backend");
    setenv("PLUGIN_FAULT", faults[index], 1);
    bool is_loaded = loads(config, NULL);
    unsetenv("PLUGIN_FAULT");
    CHECK(is_loaded);
    CHECK_INT(made_since(before), 1);
    CHECK_INT(since(before).of[LOGGER].made, 1);
    hoist_config_free(config);
    CHECK(all_released());
  }
}

TEST(a_table_with_a_wrong_size_is_refused) {
  hoist_config *config = config_of("backend");
  hoist_error *error = NULL;
  counts before = so_far();
  CHECK_INT(hoist_config_load_plugin(config, EVERY_KIND, "short hook", &error), HOIST_ERR_PLUGIN);
  CHECK(strstr(hoist_error_message(error), EVERY_KIND " says that struct_size of its hook table is 3") != NULL);
  hoist_error_free(error);
  counts now = since(before);
  CHECK_INT(now.of[LOGGER].released, 1);
  CHECK_INT(now.of[HOOK].released, 1);
  hoist_config_free(config);
}

TEST(an_object_with_nothing_for_this_service_is_refused) {
  hoist_config *config = hoist_config_new("optimizely");
  setenv("PLUGIN_FAULT", "strategies only", 1);
  bool is_good = refused(config, EVERY_KIND, NULL, HOIST_ERR_UNSUPPORTED, "offers nothing for optimizely");
  unsetenv("PLUGIN_FAULT");
  hoist_config_free(config);
  CHECK(is_good);
}

/* G8 */
TEST(wrong_arguments_are_refused) {
  hoist_config *config = config_of("backend"), *unknown = hoist_config_new("nobody");
  CHECK_INT(hoist_config_load_plugin(NULL, EVERY_KIND, NULL, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_config_load_plugin(config, NULL, NULL, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_config_load_plugin(config, "", NULL, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_config_load_plugin(config, "\xff", NULL, NULL), HOIST_ERR_ARGUMENT);
  CHECK_INT(hoist_config_load_plugin(config, EVERY_KIND, "\xff", NULL), HOIST_ERR_ARGUMENT);
  hoist_error *error = NULL;
  CHECK_INT(hoist_config_load_plugin(unknown, EVERY_KIND, NULL, &error), HOIST_ERR_CONFIG);
  CHECK(strstr(hoist_error_message(error), "unknown provider \"nobody\"") != NULL);
  hoist_error_free(error);
  hoist_config_free(unknown);
  hoist_config_free(config);
  CHECK(all_released());
}

int main(void) {
  alarm(500);
  (void)open_counters();
  RUN(a_kind_that_is_registered_already_is_refused_before_anything_is_made);
  RUN(hooks_add_up_to_their_limit);
  RUN(a_kind_that_cannot_be_made_releases_those_made_before_it);
  RUN(a_kind_that_the_options_do_not_ask_for_is_left_out);
  RUN(a_provider_that_cannot_be_made_leaves_the_configuration_without_one);
  RUN(a_message_that_is_no_text_is_no_harm);
  RUN(a_file_that_cannot_be_loaded_is_an_io_error);
  RUN(an_object_without_the_entry_is_named_with_the_symbol);
  RUN(an_object_that_cannot_be_loaded_cannot_be_described);
  RUN(a_descriptor_that_cannot_be_used_is_refused);
  RUN(a_descriptor_of_a_shorter_header_offers_what_it_has);
  RUN(a_table_with_a_wrong_size_is_refused);
  RUN(an_object_with_nothing_for_this_service_is_refused);
  RUN(wrong_arguments_are_refused);
  return check_summary();
}
