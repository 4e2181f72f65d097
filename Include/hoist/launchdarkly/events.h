/**
 * @file
 * LaunchDarkly: events of the host, hooks around evaluations, identifies and events, and plug-ins that bring hooks.
 *
 * Identify, feature, debug and summary events come by themselves. What is recorded waits, at most `event_capacity`
 * events beside the summaries, is kept in the store meanwhile, and is sent every `events.flush_interval_ms` while the
 * client is online. What becomes of a payload that fails stands in hoist/launchdarkly.h, "deliveries"; with property
 * `strict_vendor` it is dropped after a second try.
 */
#ifndef HOIST_LAUNCHDARKLY_EVENTS_H
#define HOIST_LAUNCHDARKLY_EVENTS_H

#include "../client.h"
#include "../config.h"
#include "../context.h"
#include "../evaluation.h"
#include "../plugin.h"
#include "stores.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== Events =============================================================================================== */

/**
 * Records a custom event for the current context. It cannot be withdrawn. Where the client still looks up the key of its
 * first context, the event waits for that, in memory.
 *
 * hoist_client_track() does the same: its properties are the data, its value is the metric.
 *
 * @param key    NUL-terminated UTF-8; may be "". Borrowed for the call.
 * @param data   JSON; NULL and "null" for none. Borrowed for the call.
 * @param metric NULL for none; finite.
 * @return HOIST_OK, and HOIST_ERR_UNSAVED as for hoist_client_track(); HOIST_ERR_ARGUMENT for a key that is no UTF-8, data that is no JSON, a metric that is no number;
 *         HOIST_ERR_LIMIT when the store of events is full, and for data of more than 1 MiB: the event is dropped and
 *         counted; HOIST_ERR_STATE before a client with `autostart` false has been started, and after close;
 *         HOIST_ERR_UNSUPPORTED for a client of another service.
 */
HOIST_API hoist_status hoist_launchdarkly_track(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE key,
                                                const char *HOIST_NULLABLE data,
                                                const double *HOIST_NULLABLE metric);

/**
 * hoist_launchdarkly_track() for a context, in mode server; with data that is no object, too.
 *
 * @param context NULL for the current one. Borrowed for the call.
 * @return As hoist_launchdarkly_track(); HOIST_ERR_ARGUMENT where there is no context, or it is none, and
 *         HOIST_ERR_REJECTED once the service has refused events for good; HOIST_ERR_UNSUPPORTED for a context in mode client.
 */
HOIST_API hoist_status hoist_launchdarkly_track_for(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE key,
                                                    const hoist_context *HOIST_NULLABLE context,
                                                    const char *HOIST_NULLABLE data,
                                                    const double *HOIST_NULLABLE metric);

/**
 * Sends what is recorded, of all environments, without waiting for it: hoist_client_flush() waits. Offline, it stays.
 *
 * @return HOIST_OK; HOIST_ERR_ARGUMENT; HOIST_ERR_STATE after close; HOIST_ERR_UNSUPPORTED.
 */
HOIST_API hoist_status hoist_launchdarkly_flush(hoist_client *HOIST_NULLABLE client);

/* ==== Hooks ================================================================================================ */

/** One evaluation, as its hooks see it. Texts are valid only during the call, and never NULL. */
typedef struct hoist_launchdarkly_evaluation_series {
    size_t struct_size; /**< sizeof(hoist_launchdarkly_evaluation_series) */
    const char *HOIST_NULLABLE flag_key;
    const char *HOIST_NULLABLE context;        /**< JSON of the call's context, else of the client's; "" where there is none */
    const char *HOIST_NULLABLE default_value;  /**< JSON, "null" for none */
    const char *HOIST_NULLABLE method;         /**< e.g. "boolVariation", "boolVariationDetail" */
    const char *HOIST_NULLABLE environment_id; /**< "" until the service has told it */
} hoist_launchdarkly_evaluation_series;

/** One identify. */
typedef struct hoist_launchdarkly_identify_series {
    size_t struct_size; /**< sizeof(hoist_launchdarkly_identify_series) */
    const char *HOIST_NULLABLE context; /**< JSON of the new context */
    int64_t timeout_ms;                 /**< negative: none */
} hoist_launchdarkly_identify_series;

/** One tracked event. */
typedef struct hoist_launchdarkly_track_series {
    size_t struct_size; /**< sizeof(hoist_launchdarkly_track_series) */
    const char *HOIST_NULLABLE key;
    const char *HOIST_NULLABLE context;        /**< JSON of the event's context */
    const char *HOIST_NULLABLE data;           /**< JSON; "" for none */
    bool has_metric;
    double metric;
    const char *HOIST_NULLABLE environment_id; /**< "" until the service has told it */
} hoist_launchdarkly_track_series;

/**
 * A hook: runs around every evaluation but those of prerequisites and of all flags, around identifies, and after
 * tracked events. "Before" members run in the order of registration, "after" members in reverse, after_track in order.
 *
 * Evaluation members run on the evaluating thread, which waits for them, before_identify and after_track on the
 * caller's, after_identify on the client's delivery lane, or in hoist_client_dispatch(). Of an identify with what is no
 * context, which ends with HOIST_ERR_ARGUMENT, they are not told.
 *
 * Whatever a member returns but HOIST_OK is logged, once per hook and member, and disturbs nothing. `data` is the
 * hook's own: a "before" member may set it, the "after" member of the same series gets it, once; what a failed
 * "before" member has set is forgotten, and its "after" member gets NULL.
 */
typedef struct hoist_launchdarkly_hook {
    size_t struct_size; /**< sizeof(hoist_launchdarkly_hook) */
    void *HOIST_NULLABLE user_data;
    const char *HOIST_NULLABLE name; /**< for the log; copied */
    hoist_status (*HOIST_NULLABLE before_evaluation)(void *HOIST_NULLABLE user_data,
                                                     const hoist_launchdarkly_evaluation_series *HOIST_NONNULL series,
                                                     void *HOIST_NULLABLE *HOIST_NONNULL data);
    hoist_status (*HOIST_NULLABLE after_evaluation)(void *HOIST_NULLABLE user_data,
                                                    const hoist_launchdarkly_evaluation_series *HOIST_NONNULL series,
                                                    void *HOIST_NULLABLE data,
                                                    const hoist_detail *HOIST_NONNULL detail);
    hoist_status (*HOIST_NULLABLE before_identify)(void *HOIST_NULLABLE user_data,
                                                   const hoist_launchdarkly_identify_series *HOIST_NONNULL series,
                                                   void *HOIST_NULLABLE *HOIST_NONNULL data);
    /** `result`: HOIST_OK when the context's flags are served, else the status that tells why not. */
    hoist_status (*HOIST_NULLABLE after_identify)(void *HOIST_NULLABLE user_data,
                                                  const hoist_launchdarkly_identify_series *HOIST_NONNULL series,
                                                  void *HOIST_NULLABLE data, hoist_status result);
    hoist_status (*HOIST_NULLABLE after_track)(void *HOIST_NULLABLE user_data,
                                               const hoist_launchdarkly_track_series *HOIST_NONNULL series);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_launchdarkly_hook;

#define HOIST_LAUNCHDARKLY_HOOK_INIT { sizeof(hoist_launchdarkly_hook), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL }

/**
 * Adds a hook after those already there. Copied, by the rules of plug-ins.
 *
 * @return HOIST_OK; HOIST_ERR_ARGUMENT; HOIST_ERR_LIMIT beyond 64 hooks; HOIST_ERR_UNSUPPORTED for a configuration of
 *         another service.
 */
HOIST_API hoist_status hoist_launchdarkly_config_add_hook(hoist_config *HOIST_NULLABLE config,
                                                          const hoist_launchdarkly_hook *HOIST_NULLABLE hook,
                                                          hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/* ==== Plug-ins ============================================================================================= */

/** What a plug-in is told of an environment. Texts are valid only during the call; "" for what is not set. */
typedef struct hoist_launchdarkly_environment_metadata {
    size_t struct_size; /**< sizeof(hoist_launchdarkly_environment_metadata) */
    const char *HOIST_NULLABLE environment; /**< "default", or the name of a secondary one */
    const char *HOIST_NULLABLE sdk_name;
    const char *HOIST_NULLABLE sdk_version;
    const char *HOIST_NULLABLE wrapper_name;
    const char *HOIST_NULLABLE wrapper_version;
    const char *HOIST_NULLABLE application_id;
    const char *HOIST_NULLABLE application_name;
    const char *HOIST_NULLABLE application_version;
    const char *HOIST_NULLABLE application_version_name;
} hoist_launchdarkly_environment_metadata;

/** Receives hooks from hoist_launchdarkly_client_plugin.get_hooks. Valid only during that call. */
typedef struct hoist_launchdarkly_hook_sink hoist_launchdarkly_hook_sink;
/** Adds a hook, which is copied. HOIST_ERR_LIMIT beyond 64 of the configuration and its plug-ins together. */
HOIST_API hoist_status hoist_launchdarkly_hook_sink_add(hoist_launchdarkly_hook_sink *HOIST_NULLABLE sink,
                                                        const hoist_launchdarkly_hook *HOIST_NULLABLE hook);

/**
 * What LaunchDarkly calls a plugin: brings hooks for each environment of a client, and gets to know each.
 *
 * Its members run inside hoist_client_open(), on the caller's thread: get_hooks of all plug-ins for each environment,
 * whose hooks come after those of the configuration, then register_client once for each environment. What they return
 * but HOIST_OK is logged and disturbs nothing.
 */
typedef struct hoist_launchdarkly_client_plugin {
    size_t struct_size; /**< sizeof(hoist_launchdarkly_client_plugin) */
    void *HOIST_NULLABLE user_data;
    const char *HOIST_NULLABLE name; /**< for the log; copied */
    hoist_status (*HOIST_NULLABLE get_hooks)(void *HOIST_NULLABLE user_data,
                                             const hoist_launchdarkly_environment_metadata *HOIST_NONNULL environment,
                                             hoist_launchdarkly_hook_sink *HOIST_NONNULL hooks);
    /** `client` is the host's: valid until the host frees it. */
    hoist_status (*HOIST_NULLABLE register_client)(
        void *HOIST_NULLABLE user_data, hoist_client *HOIST_NONNULL client,
        const hoist_launchdarkly_environment_metadata *HOIST_NONNULL environment);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_launchdarkly_client_plugin;

#define HOIST_LAUNCHDARKLY_CLIENT_PLUGIN_INIT { sizeof(hoist_launchdarkly_client_plugin), NULL, NULL, NULL, NULL, NULL }

/**
 * Adds a plug-in after those already there. Copied, by the rules of plug-ins.
 *
 * @return HOIST_OK; HOIST_ERR_ARGUMENT; HOIST_ERR_LIMIT beyond 16 plug-ins; HOIST_ERR_UNSUPPORTED for a configuration
 *         of another service.
 */
HOIST_API hoist_status hoist_launchdarkly_config_add_plugin(
    hoist_config *HOIST_NULLABLE config, const hoist_launchdarkly_client_plugin *HOIST_NULLABLE plugin,
    hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/** What a shared object offers LaunchDarkly clients: member `launchdarkly` of hoist_plugin. */
typedef struct hoist_launchdarkly_plugin {
    size_t struct_size; /**< sizeof(hoist_launchdarkly_plugin) */
    hoist_status (*HOIST_NULLABLE create_hook)(const char *HOIST_NONNULL options,
                                               hoist_launchdarkly_hook *HOIST_NONNULL hook,
                                               char *HOIST_NONNULL message, size_t message_size);
    /** Mode server alone has these two; see stores.h. */
    hoist_status (*HOIST_NULLABLE create_store)(const char *HOIST_NONNULL options,
                                                hoist_launchdarkly_store *HOIST_NONNULL store,
                                                char *HOIST_NONNULL message, size_t message_size);
    hoist_status (*HOIST_NULLABLE create_big_segments)(const char *HOIST_NONNULL options,
                                                       hoist_launchdarkly_big_segments *HOIST_NONNULL store,
                                                       char *HOIST_NONNULL message, size_t message_size);
} hoist_launchdarkly_plugin;

#define HOIST_LAUNCHDARKLY_PLUGIN_INIT { sizeof(hoist_launchdarkly_plugin), NULL, NULL, NULL }

#ifdef __cplusplus
}
#endif
#endif
