/**
 * @file
 * The calls that take or give JSON, with jansson's values instead of text. For C and C++ hosts that use jansson.
 */
#ifndef HOIST_JANSSON_H
#define HOIST_JANSSON_H

#include "evaluation.h"
#include "flagship.h"
#include "kameleoon.h"
#include "launchdarkly.h"
#include "observer.h"
#include "optimizely.h"
#include "plugin_object.h"
#include "view.h"
#include "unleash.h"
#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Every json_t handed out is a new reference of the caller's own: json_decref() it. Every json_t handed in is
 * borrowed for the call and copied; NULL is HOIST_ERR_ARGUMENT where nothing else is said. Values deeper than 512
 * levels are refused, as are texts that are not UTF-8.
 */

HOIST_API hoist_status hoist_config_set_jansson(hoist_config *HOIST_NULLABLE config, const json_t *HOIST_NULLABLE object,
                                                hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
HOIST_API json_t *HOIST_NULLABLE hoist_config_describe_jansson(const char *HOIST_NULLABLE provider);
HOIST_API json_t *HOIST_NULLABLE hoist_provider_list_jansson(void);
HOIST_API json_t *HOIST_NULLABLE
hoist_plugin_describe_jansson(const char *HOIST_NULLABLE path, hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

HOIST_API hoist_context *HOIST_NULLABLE
hoist_context_from_jansson(const json_t *HOIST_NULLABLE object, hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
HOIST_API json_t *HOIST_NULLABLE hoist_context_to_jansson(const hoist_context *HOIST_NULLABLE context);
HOIST_API hoist_status hoist_context_set_jansson(hoist_context *HOIST_NULLABLE context,
                                                 const char *HOIST_NULLABLE name, const json_t *HOIST_NULLABLE value);
/** An attribute as a JSON value, a date as its text; NULL when there is none. */
HOIST_API json_t *HOIST_NULLABLE hoist_context_get_jansson(const hoist_context *HOIST_NULLABLE context,
                                                           const char *HOIST_NULLABLE name);

/** The value of a JSON flag; a new reference to `fallback` (which may be NULL) when it cannot be evaluated. */
HOIST_API json_t *HOIST_NULLABLE hoist_client_json_jansson(hoist_client *HOIST_NULLABLE client,
                                                           const char *HOIST_NULLABLE key,
                                                           const hoist_context *HOIST_NULLABLE context,
                                                           json_t *HOIST_NULLABLE fallback,
                                                           hoist_detail *HOIST_NULLABLE *HOIST_NULLABLE detail);
/** As hoist_client_json_jansson(). */
HOIST_API json_t *HOIST_NULLABLE hoist_view_json_jansson(hoist_view *HOIST_NULLABLE view, const char *HOIST_NULLABLE key,
                                                         json_t *HOIST_NULLABLE fallback);
HOIST_API json_t *HOIST_NULLABLE hoist_client_all_flags_jansson(hoist_client *HOIST_NULLABLE client,
                                                                const hoist_context *HOIST_NULLABLE context);
HOIST_API json_t *HOIST_NULLABLE hoist_client_statistics_jansson(hoist_client *HOIST_NULLABLE client);
/**
 * hoist_client_track() with the properties as an object: texts, numbers and booleans are such, the rest is JSON. A text may hold
 * a NUL, and a whole number keeps its 64 bits, where the service's form has room for them: a provider plug-in is told of a number
 * that a double would alter as JSON, and an event whose text has a NUL is refused.
 *
 * @param value      NULL for none.
 * @param properties NULL for none.
 */
HOIST_API hoist_status hoist_client_track_jansson(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE key,
                                                  const hoist_context *HOIST_NULLABLE context,
                                                  const double *HOIST_NULLABLE value,
                                                  const json_t *HOIST_NULLABLE properties);

HOIST_API json_t *HOIST_NULLABLE hoist_detail_value_jansson(const hoist_detail *HOIST_NULLABLE detail);
HOIST_API json_t *HOIST_NULLABLE hoist_detail_metadata_jansson(const hoist_detail *HOIST_NULLABLE detail);
HOIST_API json_t *HOIST_NULLABLE hoist_detail_explanation_jansson(const hoist_detail *HOIST_NULLABLE detail);
HOIST_API json_t *HOIST_NULLABLE hoist_detail_to_jansson(const hoist_detail *HOIST_NULLABLE detail);
HOIST_API json_t *HOIST_NULLABLE
hoist_notification_jansson(const hoist_notification *HOIST_NULLABLE notification);

/**
 * hoist_flag_set_add() with values.
 *
 * @param values   An array of as many as the flag has variations, in place of their `json`; NULL leaves those.
 * @param metadata In place of the flag's; NULL leaves those.
 */
HOIST_API hoist_status hoist_flag_set_add_jansson(hoist_flag_set *HOIST_NULLABLE set, const hoist_flag *HOIST_NULLABLE flag,
                                                  const json_t *HOIST_NULLABLE values,
                                                  const json_t *HOIST_NULLABLE metadata,
                                                  hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/*
 * The services' calls, each as the call of the same name for text: "…_jansson" for "…_json", or behind its name. NULL is given
 * where that gives no JSON.
 */

/* ---- Unleash ---------------------------------------------------------------------------------------------- */

HOIST_API hoist_context *HOIST_NULLABLE
hoist_unleash_context_from_jansson(const json_t *HOIST_NULLABLE object, hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
HOIST_API json_t *HOIST_NULLABLE hoist_unleash_context_jansson(const hoist_client *HOIST_NULLABLE client);
HOIST_API json_t *HOIST_NULLABLE hoist_unleash_list_toggles_jansson(hoist_client *HOIST_NULLABLE client);
HOIST_API hoist_unleash_bootstrap *HOIST_NULLABLE
hoist_unleash_bootstrap_from_jansson(const json_t *HOIST_NULLABLE document,
                                     hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/* ---- Optimizely ------------------------------------------------------------------------------------------- */

HOIST_API hoist_status hoist_optimizely_start_with_datafile_jansson(hoist_client *HOIST_NULLABLE client,
                                                                    const json_t *HOIST_NULLABLE datafile,
                                                                    uint32_t flags,
                                                                    hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
HOIST_API json_t *HOIST_NULLABLE hoist_optimizely_datafile_jansson(const hoist_client *HOIST_NULLABLE client);
HOIST_API json_t *HOIST_NULLABLE hoist_optimizely_saved_datafile_jansson(hoist_client *HOIST_NULLABLE client);
HOIST_API hoist_status hoist_optimizely_save_datafile_jansson(hoist_client *HOIST_NULLABLE client,
                                                              const json_t *HOIST_NULLABLE datafile,
                                                              hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
HOIST_API json_t *HOIST_NULLABLE hoist_optimizely_config_to_jansson(const hoist_client *HOIST_NULLABLE client);
HOIST_API hoist_status hoist_optimizely_profile_sink_put_jansson(hoist_optimizely_profile_sink *HOIST_NULLABLE sink,
                                                                 const json_t *HOIST_NULLABLE profile);
HOIST_API hoist_status hoist_optimizely_user_set_jansson(hoist_optimizely_user *HOIST_NULLABLE user,
                                                         const char *HOIST_NULLABLE name,
                                                         const json_t *HOIST_NULLABLE value);
HOIST_API json_t *HOIST_NULLABLE
hoist_optimizely_user_attributes_jansson(const hoist_optimizely_user *HOIST_NULLABLE user);
HOIST_API hoist_status hoist_optimizely_user_track_jansson(hoist_optimizely_user *HOIST_NULLABLE user,
                                                           const char *HOIST_NULLABLE event_key,
                                                           const json_t *HOIST_NULLABLE tags,
                                                           hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** Of `identifiers` and `data` either may be NULL, which stands for none. */
HOIST_API hoist_status hoist_optimizely_send_odp_event_jansson(hoist_client *HOIST_NULLABLE client,
                                                               const char *HOIST_NULLABLE type,
                                                               const char *HOIST_NULLABLE action,
                                                               const json_t *HOIST_NULLABLE identifiers,
                                                               const json_t *HOIST_NULLABLE data,
                                                               hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
HOIST_API json_t *HOIST_NULLABLE
hoist_optimizely_decision_variables_jansson(const hoist_optimizely_decision *HOIST_NULLABLE decision);
HOIST_API json_t *HOIST_NULLABLE
hoist_optimizely_decision_value_jansson(const hoist_optimizely_decision *HOIST_NULLABLE decision,
                                        const char *HOIST_NULLABLE path);
HOIST_API json_t *HOIST_NULLABLE
hoist_optimizely_decision_to_jansson(const hoist_optimizely_decision *HOIST_NULLABLE decision);
HOIST_API json_t *HOIST_NULLABLE
hoist_optimizely_decisions_to_jansson(const hoist_optimizely_decisions *HOIST_NULLABLE decisions);
HOIST_API json_t *HOIST_NULLABLE hoist_optimizely_user_segments_jansson(const hoist_optimizely_user *HOIST_NULLABLE user);
HOIST_API json_t *HOIST_NULLABLE hoist_optimizely_user_explain_jansson(hoist_optimizely_user *HOIST_NULLABLE user,
                                                                       const char *HOIST_NULLABLE key);
/** @param value Receives it; NULL on failure. */
HOIST_API hoist_status hoist_optimizely_feature_jansson(hoist_client *HOIST_NULLABLE client,
                                                        const char *HOIST_NULLABLE feature_key,
                                                        const char *HOIST_NULLABLE variable_key,
                                                        const hoist_context *HOIST_NULLABLE user,
                                                        json_t *HOIST_NULLABLE *HOIST_NULLABLE value);
HOIST_API json_t *HOIST_NULLABLE
hoist_optimizely_feature_variables_jansson(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE feature_key,
                                           const hoist_context *HOIST_NULLABLE user);
HOIST_API json_t *HOIST_NULLABLE hoist_optimizely_enabled_features_jansson(hoist_client *HOIST_NULLABLE client,
                                                                           const hoist_context *HOIST_NULLABLE user);
HOIST_API hoist_status hoist_optimizely_track_jansson(hoist_client *HOIST_NULLABLE client,
                                                      const char *HOIST_NULLABLE event_key,
                                                      const hoist_context *HOIST_NULLABLE user,
                                                      const json_t *HOIST_NULLABLE tags,
                                                      hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/* ---- LaunchDarkly ----------------------------------------------------------------------------------------- */

HOIST_API hoist_launchdarkly_value *HOIST_NULLABLE
hoist_launchdarkly_value_from_jansson(const json_t *HOIST_NULLABLE value,
                                      hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
HOIST_API json_t *HOIST_NULLABLE
hoist_launchdarkly_value_to_jansson(const hoist_launchdarkly_value *HOIST_NULLABLE value);
HOIST_API hoist_launchdarkly_context *HOIST_NULLABLE
hoist_launchdarkly_context_from_jansson(const json_t *HOIST_NULLABLE object,
                                        hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
HOIST_API json_t *HOIST_NULLABLE
hoist_launchdarkly_context_to_jansson(const hoist_launchdarkly_context *HOIST_NULLABLE context);
HOIST_API json_t *HOIST_NULLABLE
hoist_launchdarkly_context_redacted_jansson(const hoist_launchdarkly_context *HOIST_NULLABLE context,
                                            const char *HOIST_NULLABLE const *HOIST_NULLABLE references, size_t count,
                                            uint32_t options);
HOIST_API hoist_status hoist_launchdarkly_builder_set_jansson(hoist_launchdarkly_builder *HOIST_NULLABLE builder,
                                                              const char *HOIST_NULLABLE name,
                                                              const json_t *HOIST_NULLABLE value,
                                                              hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** @param data NULL for none. */
HOIST_API hoist_status hoist_launchdarkly_track_jansson(hoist_client *HOIST_NULLABLE client,
                                                        const char *HOIST_NULLABLE key,
                                                        const json_t *HOIST_NULLABLE data,
                                                        const double *HOIST_NULLABLE metric);
/** @param data NULL for none. */
HOIST_API hoist_status hoist_launchdarkly_track_for_jansson(hoist_client *HOIST_NULLABLE client,
                                                            const char *HOIST_NULLABLE key,
                                                            const hoist_context *HOIST_NULLABLE context,
                                                            const json_t *HOIST_NULLABLE data,
                                                            const double *HOIST_NULLABLE metric);
HOIST_API json_t *HOIST_NULLABLE hoist_launchdarkly_all_flags_jansson(hoist_client *HOIST_NULLABLE client);
HOIST_API json_t *HOIST_NULLABLE hoist_launchdarkly_all_flags_state_jansson(hoist_client *HOIST_NULLABLE client,
                                                                            const hoist_context *HOIST_NULLABLE context,
                                                                            uint32_t options);
HOIST_API json_t *HOIST_NULLABLE hoist_launchdarkly_detail_reason_jansson(const hoist_detail *HOIST_NULLABLE detail);

/** hoist_launchdarkly_decode with a value of jansson's, valid only during the callback. */
typedef bool (*hoist_launchdarkly_decode_jansson)(const json_t *HOIST_NONNULL value, void *HOIST_NULLABLE user_data);
/** @param fallback NULL counts as null. */
HOIST_API bool hoist_launchdarkly_variation_decode_jansson(hoist_client *HOIST_NULLABLE client,
                                                           const char *HOIST_NULLABLE key,
                                                           hoist_launchdarkly_decode_jansson HOIST_NULLABLE decode,
                                                           void *HOIST_NULLABLE user_data,
                                                           const json_t *HOIST_NULLABLE fallback,
                                                           hoist_detail *HOIST_NULLABLE *HOIST_NULLABLE detail);

/* ---- Flagship --------------------------------------------------------------------------------------------- */

/**
 * @param fallback NULL: any type will do, and null is a value.
 * @param value    Receives the flag's value, or a new reference to `fallback`; null for a `fallback` of NULL.
 */
HOIST_API hoist_status hoist_flagship_visitor_jansson(hoist_flagship_visitor *HOIST_NULLABLE visitor,
                                                      const char *HOIST_NULLABLE key,
                                                      const json_t *HOIST_NULLABLE fallback, bool exposed,
                                                      json_t *HOIST_NULLABLE *HOIST_NULLABLE value);
/** As hoist_flagship_visitor_jansson(). */
HOIST_API hoist_status hoist_flagship_flag_jansson(const hoist_flagship_flag *HOIST_NULLABLE flag,
                                                   const json_t *HOIST_NULLABLE fallback, bool exposed,
                                                   json_t *HOIST_NULLABLE *HOIST_NULLABLE value);
HOIST_API json_t *HOIST_NULLABLE hoist_flagship_flag_explain_jansson(const hoist_flagship_flag *HOIST_NULLABLE flag);
HOIST_API json_t *HOIST_NULLABLE
hoist_flagship_metadata_to_jansson(const hoist_flagship_metadata *HOIST_NULLABLE metadata);
HOIST_API json_t *HOIST_NULLABLE hoist_flagship_flags_to_jansson(const hoist_flagship_flags *HOIST_NULLABLE flags);
HOIST_API hoist_status hoist_flagship_visitor_update_context_jansson(hoist_flagship_visitor *HOIST_NULLABLE visitor,
                                                                     const json_t *HOIST_NULLABLE object);
HOIST_API json_t *HOIST_NULLABLE
hoist_flagship_visitor_context_jansson(const hoist_flagship_visitor *HOIST_NULLABLE visitor);
HOIST_API json_t *HOIST_NULLABLE
hoist_flagship_visitor_export_jansson(const hoist_flagship_visitor *HOIST_NULLABLE visitor);
HOIST_API hoist_status hoist_flagship_collect_emotion_jansson(hoist_client *HOIST_NULLABLE client,
                                                              const json_t *HOIST_NULLABLE event,
                                                              hoist_done HOIST_NULLABLE done,
                                                              void *HOIST_NULLABLE user_data);
/** @param record NULL: nothing was cached. */
HOIST_API hoist_status hoist_flagship_visitor_lookup_reply_jansson(hoist_flagship_visitor_lookup *HOIST_NULLABLE lookup,
                                                                   const json_t *HOIST_NULLABLE record);
/** @param records NULL: nothing was cached. */
HOIST_API hoist_status hoist_flagship_hit_lookup_reply_jansson(hoist_flagship_hit_lookup *HOIST_NULLABLE lookup,
                                                               const json_t *HOIST_NULLABLE records);

/* ---- Kameleoon -------------------------------------------------------------------------------------------- */

HOIST_API hoist_kameleoon_data *HOIST_NULLABLE
hoist_kameleoon_data_from_jansson(const json_t *HOIST_NULLABLE object, hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
HOIST_API json_t *HOIST_NULLABLE hoist_kameleoon_data_to_jansson(const hoist_kameleoon_data *HOIST_NULLABLE data);
HOIST_API hoist_status hoist_kameleoon_visitor_add_remote_visitor_data_jansson(
    hoist_kameleoon_visitor *HOIST_NULLABLE visitor, const json_t *HOIST_NULLABLE object, bool track,
    hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
HOIST_API json_t *HOIST_NULLABLE
hoist_kameleoon_variable_jansson(const hoist_kameleoon_variable *HOIST_NULLABLE variable);
HOIST_API json_t *HOIST_NULLABLE
hoist_kameleoon_variation_to_jansson(const hoist_kameleoon_variation *HOIST_NULLABLE variation);
HOIST_API json_t *HOIST_NULLABLE hoist_kameleoon_visitor_explain_jansson(hoist_kameleoon_visitor *HOIST_NULLABLE visitor,
                                                                         const char *HOIST_NULLABLE key);
HOIST_API json_t *HOIST_NULLABLE
hoist_kameleoon_feature_list_jansson(hoist_client *HOIST_NULLABLE client, hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
HOIST_API json_t *HOIST_NULLABLE
hoist_kameleoon_datafile_jansson(hoist_client *HOIST_NULLABLE client, hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
HOIST_API HOIST_DEPRECATED json_t *HOIST_NULLABLE hoist_kameleoon_visitor_active_feature_list_jansson(
    hoist_kameleoon_visitor *HOIST_NULLABLE visitor, hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
HOIST_API HOIST_DEPRECATED json_t *HOIST_NULLABLE hoist_kameleoon_feature_variation_variables_jansson(
    hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE key, const char *HOIST_NULLABLE variation_key,
    hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** @param data NULL, or receives the data; NULL where there are none, and for what is no JSON. */
HOIST_API hoist_status hoist_kameleoon_visitor_get_remote_data_wait_jansson(
    hoist_kameleoon_visitor *HOIST_NULLABLE visitor, const char *HOIST_NULLABLE key, int64_t timeout_ms,
    json_t *HOIST_NULLABLE *HOIST_NULLABLE data);

#ifdef __cplusplus
}
#endif
#endif
