/**
 * @file
 * The calls that take or give JSON, with jansson's values instead of text. For C and C++ hosts that use jansson.
 */
#ifndef HOIST_JANSSON_H
#define HOIST_JANSSON_H

#include "evaluation.h"
#include "observer.h"
#include "optimizely.h"
#include "plugin_object.h"
#include "view.h"
#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Every json_t handed out is a new reference of the caller's own: json_decref() it. Every json_t handed in is
 * borrowed for the call and copied; NULL is HOIST_ERR_ARGUMENT where nothing else is said. Values deeper than 512
 * levels are refused.
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
 * hoist_client_track() with the properties as an object: texts, numbers and booleans are such, the rest is JSON.
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

/* Optimizely. */
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

#ifdef __cplusplus
}
#endif
#endif
