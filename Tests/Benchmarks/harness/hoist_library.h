/** @file The library under test: its calls, and the clients that are measured. */
#ifndef HOIST_LIBRARY_H
#define HOIST_LIBRARY_H

#include "hoist/flagship.h"
#include "hoist/hoist.h"
#include "hoist/kameleoon.h"
#include "hoist/launchdarkly.h"
#include "hoist/optimizely.h"

#define HOIST_CALLS(X)                                                                                             \
    X(hoist_config_new) X(hoist_config_set) X(hoist_config_free) X(hoist_client_open) X(hoist_client_wait_ready)   \
    X(hoist_client_refresh) X(hoist_client_flush) X(hoist_client_close) X(hoist_client_free) X(hoist_client_bool)  \
    X(hoist_client_int64) X(hoist_client_json) X(hoist_client_track) X(hoist_context_new) X(hoist_context_set_string) X(hoist_view_new) X(hoist_view_bool)    \
    X(hoist_view_json) X(hoist_view_free) X(hoist_text_data) X(hoist_text_free) X(hoist_error_message)             \
    X(hoist_status_name) X(hoist_optimizely_user_new) X(hoist_optimizely_user_free) X(hoist_optimizely_user_set_string)  \
    X(hoist_optimizely_user_set_int64) X(hoist_optimizely_user_decide) X(hoist_optimizely_user_decide_all)         \
    X(hoist_optimizely_decision_enabled) X(hoist_optimizely_decision_rule_key)                                     \
    X(hoist_optimizely_decision_variation_key) X(hoist_optimizely_decision_variables)                              \
    X(hoist_launchdarkly_observe_flag)                                                                             \
    X(hoist_optimizely_decision_free) X(hoist_optimizely_decisions_count) X(hoist_optimizely_decisions_free)       \
    X(hoist_client_observe) X(hoist_context_set_int64) X(hoist_client_statistics) X(hoist_flagship_visitor_new)                            \
    X(hoist_flagship_visitor_free) X(hoist_flagship_visitor_fetch_wait) X(hoist_flagship_visitor_bool)             \
    X(hoist_flagship_visitor_string) X(hoist_flagship_visitor_json) X(hoist_flagship_visitor_send_hit)             \
    X(hoist_flagship_hit_new_event) X(hoist_flagship_hit_set_label) X(hoist_flagship_hit_set_value)                \
    X(hoist_flagship_hit_free) X(hoist_kameleoon_visitor_new) X(hoist_kameleoon_visitor_free)                      \
    X(hoist_kameleoon_visitor_add_data) X(hoist_kameleoon_visitor_variation) X(hoist_kameleoon_visitor_variations) \
    X(hoist_kameleoon_visitor_track_conversion) X(hoist_kameleoon_custom_data) X(hoist_kameleoon_data_free)        \
    X(hoist_kameleoon_variation_key) X(hoist_kameleoon_variation_experiment_id)                                    \
    X(hoist_kameleoon_variation_variable_at) X(hoist_kameleoon_variation_free) X(hoist_kameleoon_variable_json)    \
    X(hoist_kameleoon_variations_count) X(hoist_kameleoon_variations_at) X(hoist_kameleoon_variations_free)

typedef struct {
#define X(name) __typeof__(&name) name;
    HOIST_CALLS(X)
#undef X
} hoist_library;

/**
 * Loaded once; ends the process when a call is missing. The configurations of the clients come from a table in
 * the form of ../clients.tsv, which hoist_set_clients() names; `server` is the loopback server's address.
 */
const hoist_library *hoist_load(const char *path);
void hoist_set_clients(const char *table, const char *server);

/** An offline client that evaluates the features document `folder`/unleash.json locally; ready. */
hoist_client *hoist_open_file(const hoist_library *library, const char *folder);
/** An offline Optimizely client that decides with the datafile `folder`/`name` and records into a large queue; ready. */
hoist_client *hoist_open_datafile(const hoist_library *library, const char *folder, const char *name);
/** An online client that fetches its features from `url`; ready. */
hoist_client *hoist_open_url(const hoist_library *library, const char *url);
/** An online LaunchDarkly client that polls the loopback server at `url` for so many flags; ready. */
hoist_client *hoist_open_polling(const hoist_library *library, const char *url, size_t flag_count);
/** One of mode server that polls it for the rules of so many flags; ready. */
hoist_client *hoist_open_rules(const hoist_library *library, const char *url, size_t flag_count);
/** An offline one of mode server with the rules of `folder`/launchdarkly-rules.json; ready. */
hoist_client *hoist_open_rules_file(const hoist_library *library, const char *folder);
/** An online LaunchDarkly client that gets its flags, or of mode server its rules, by stream from `url`; ready. */
hoist_client *hoist_open_stream(const hoist_library *library, const char *url);
hoist_client *hoist_open_rules_stream(const hoist_library *library, const char *url);
/**
 * An offline Flagship client that decides the campaigns of `folder`/flagship.json; ready. What it is for says how it keeps
 * hits, in the folder `store` where it does.
 */
hoist_client *hoist_open_campaigns(
    const hoist_library *library, const char *purpose, const char *folder, const char *store);
/** An offline Kameleoon client that decides the configuration of `folder`/kameleoon.json; ready. */
hoist_client *hoist_open_site(const hoist_library *library, const char *folder);
/**
 * An offline client that records tracking events into a large queue in memory, of the first provider that does.
 * NULL when no provider of this library does, with the reason in `why`.
 */
hoist_client *hoist_open_tracking(const hoist_library *library, const char *folder, char why[256]);

#endif
