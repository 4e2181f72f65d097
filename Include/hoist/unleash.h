/**
 * @file
 * Unleash, in Unleash's words: toggles, variants, payloads, strategies, impact metrics.
 *
 * The client is a hoist_client opened from hoist_config_new("unleash"). Two modes: in "frontend" mode the server
 * (or Edge) evaluates for the client's current context; in "backend" mode definitions are fetched, or read from
 * a file, and evaluated here for the context of each call.
 */
#ifndef HOIST_UNLEASH_H
#define HOIST_UNLEASH_H

#include "event.h"
#include "observer.h"
#include "plugin.h"
#include "plugin_object.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What went wrong with a fetch, beside the statuses of base.h. */
enum {
    HOIST_ERR_UNLEASH_URL              = 1000, /**< the flags' URL cannot be built */
    HOIST_ERR_UNLEASH_NETWORK          = 1001, /**< the service answered 400 to 598 */
    HOIST_ERR_UNLEASH_NO_RESPONSE      = 1002, /**< no answer at all */
    HOIST_ERR_UNLEASH_UNHANDLED_STATUS = 1003, /**< an answer that is neither 200 nor 304 nor an error */
    HOIST_ERR_UNLEASH_DECODING         = 1004  /**< the answer cannot be read */
};

/* ---- The core's calls here -------------------------------------------------------------------------------- */

/*
 * READY                    frontend: the toggles of the current context are there; backend: the definitions. Bootstrapped
 *                          and stored ones make a client STALE, and readable, until the service sends or confirms them;
 *                          stored ones younger than the property `storage_ttl` count as sent.
 * hoist_client_bool() …    frontend: a toggle that fetched toggles do not list is off, and not unknown: the service
 *                          lists what is on. The fallback is given while nothing has been fetched, now or by an earlier
 *                          run, and in backend mode for toggles that the definitions do not have.
 * hoist_client_int64()     the number in a variant's payload; one with a fraction is TYPE_MISMATCH, and for
 *                          hoist_client_double() alone.
 * context of one call      frontend: the service evaluates, so another context than the current one gets the fallback,
 *                          with INVALID_CONTEXT. backend: any context; what it lacks comes from the current one.
 * contexts                 the targeting key is userId, scalars become text. Lists and objects have no form here: such an
 *                          attribute of a current context is left out with a warning that names it, and refused in the
 *                          property `context`.
 * hoist_client_identify()  frontend: the former toggles are read until those of the context are there; stored ones are
 *                          served at once. HOIST_ERR_NETWORK when neither the service nor the store has them. backend:
 *                          done at once.
 * hoist_client_refresh()   one fetch now, also before hoist_unleash_start(); with a stream, beside it.
 * hoist_client_track()     impact metrics: a counter of the event's key with its properties as labels, all as text, and
 *                          with a value a histogram KEY_value. They carry no context: one is ignored. The service knows no
 *                          ids of metrics: a delivery whose answer is lost is sent again, and counted twice.
 * attempts                 never stop. While the service answers 401 or 403 the state is ERROR, with toggles STALE, and
 *                          the next attempt comes after eleven refresh intervals, or the property
 *                          `network.retry_max_ms` when that is less; after one interval where a header provider may
 *                          bring another key; at once after a start, a change of the context, hoist_client_refresh() or
 *                          going online. Metrics likewise, by their own interval. A stream that is not offered is tried
 *                          again within `network.retry_max_ms`; definitions are polled meanwhile.
 * fetch.shared             backend, in each `fetch_mode`: of the processes over one store one fetches, or polls deltas, or
 *                          fetches once and then streams, also where the service asks for it. None streams while the store is
 *                          away. Refused in frontend mode, whose toggles are of one context. Each registers and reports for
 *                          itself.
 * hoist_client_open()      HOIST_ERR_CONFIG for a bootstrap that cannot be read where nothing can be fetched; with a url
 *                          and online it is warned of and left aside.
 */

/** Events of the vendor's SDKs beyond the topics of observer.h, for hoist_client_observe(). */
enum {
    /** `ready`: once in a client's life, when toggles have been fetched, or stored ones are confirmed by the service
     *  or younger than `storage_ttl`. Later observers are not notified: see hoist_unleash_is_ready(). */
    HOIST_TOPIC_UNLEASH_READY  = 1000,
    /** `update`: with each later answer that brings toggles; where none has changed, only with the property
     *  `notify_unchanged`. */
    HOIST_TOPIC_UNLEASH_UPDATE = 1001
};

/** Version as the header unleash-sdk reports it, "unleash-hoist-sdk:0.1.0". Static. */
HOIST_API const char *HOIST_NONNULL hoist_unleash_version(void);

/* ---- Toggles and variants -------------------------------------------------------------------------------- */

/** Answers for a toggle that is not known; runs inside the call, on the calling thread. */
typedef bool (*hoist_unleash_fallback)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL name,
                                       const hoist_context *HOIST_NULLABLE context);

/** Whether a toggle is on; counted. False for unknown toggles, NULL and closed clients. */
HOIST_API bool hoist_unleash_is_enabled(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE name,
                                        const hoist_context *HOIST_NULLABLE context);

/**
 * hoist_unleash_is_enabled() with the caller's own answer for an unknown toggle, which is what is counted. In frontend
 * mode off and unknown look alike: the fallback is asked only before toggles have been fetched, now or by an earlier
 * run. A closed client does not ask and gives false.
 */
HOIST_API bool hoist_unleash_is_enabled_or(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE name,
                                           const hoist_context *HOIST_NULLABLE context,
                                           hoist_unleash_fallback HOIST_NULLABLE fallback,
                                           void *HOIST_NULLABLE user_data);

/** Whether a toggle is on, without counting or announcing. */
HOIST_API bool hoist_unleash_check_enabled(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE name,
                                           const hoist_context *HOIST_NULLABLE context);

/** The variant of a toggle. Owned by the caller; immutable; outlives its client. */
typedef struct hoist_unleash_variant hoist_unleash_variant;

/** A member that may be missing. */
typedef int32_t hoist_unleash_tristate;
enum {
    HOIST_UNLEASH_ABSENT = -1,
    HOIST_UNLEASH_FALSE  = 0,
    HOIST_UNLEASH_TRUE   = 1
};

/**
 * The variant chosen for the context; counted. Never fails: without one it is "disabled".
 *
 * @return Owned by the caller; free with hoist_unleash_variant_free(). "disabled" for another service's client; NULL
 *         only for a NULL client or name.
 */
HOIST_API hoist_unleash_variant *HOIST_NULLABLE hoist_unleash_get_variant(hoist_client *HOIST_NULLABLE client,
                                                                          const char *HOIST_NULLABLE name,
                                                                          const hoist_context *HOIST_NULLABLE context);
/** hoist_unleash_get_variant() without counting or announcing. */
HOIST_API hoist_unleash_variant *HOIST_NULLABLE hoist_unleash_check_variant(hoist_client *HOIST_NULLABLE client,
                                                                            const char *HOIST_NULLABLE name,
                                                                            const hoist_context *HOIST_NULLABLE context);
/** Borrowed: valid until hoist_unleash_variant_free(). NULL for NULL. */
HOIST_API const char *HOIST_NULLABLE hoist_unleash_variant_name(const hoist_unleash_variant *HOIST_NULLABLE variant);
/** Whether a real variant was chosen. */
HOIST_API bool hoist_unleash_variant_enabled(const hoist_unleash_variant *HOIST_NULLABLE variant);
/** The member feature_enabled as the service sent it. */
HOIST_API hoist_unleash_tristate
hoist_unleash_variant_feature_enabled(const hoist_unleash_variant *HOIST_NULLABLE variant);
/** Whether the toggle is on, also where the service did not say. */
HOIST_API bool hoist_unleash_variant_is_feature_enabled(const hoist_unleash_variant *HOIST_NULLABLE variant);
/** "string", "json", "csv", "number"; "" without a payload. Borrowed as the name. NULL for NULL. */
HOIST_API const char *HOIST_NULLABLE
hoist_unleash_variant_payload_type(const hoist_unleash_variant *HOIST_NULLABLE variant);
/** The payload's text; "" without one. Borrowed as the name. NULL for NULL. */
HOIST_API const char *HOIST_NULLABLE
hoist_unleash_variant_payload_value(const hoist_unleash_variant *HOIST_NULLABLE variant);
HOIST_API void hoist_unleash_variant_free(hoist_unleash_variant *HOIST_NULLABLE variant);

/**
 * The known toggles as a JSON array of {"name","type","project","enabled"…}; nothing is counted.
 * Free with hoist_text_free(). "[]" for another service's client; NULL for NULL.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_unleash_list_toggles(hoist_client *HOIST_NULLABLE client);

/**
 * A context from a JSON object as Unleash's engine reads one: numbers and booleans become text, "properties" are
 * opened, a wrapper {"context": …} too. Free with hoist_context_free(). NULL with `error` set otherwise.
 */
HOIST_API hoist_context *HOIST_NULLABLE
hoist_unleash_context_from_json(const char *HOIST_NULLABLE json, size_t length,
                                hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/* ---- Start, stop, bootstrap ------------------------------------------------------------------------------- */

/**
 * Flags to start with. Plain data: one thread at a time.
 */
typedef struct hoist_unleash_bootstrap hoist_unleash_bootstrap;

/** One without toggles. Owned by the caller; free with hoist_unleash_bootstrap_free(). */
HOIST_API hoist_unleash_bootstrap *HOIST_NONNULL hoist_unleash_bootstrap_new(void);
/**
 * One of a document in the service's answer format, borrowed for the call. Owned by the caller; free with
 * hoist_unleash_bootstrap_free(). NULL with `error` set otherwise: HOIST_ERR_PARSE for what cannot be read.
 */
HOIST_API hoist_unleash_bootstrap *HOIST_NULLABLE
hoist_unleash_bootstrap_from_json(const char *HOIST_NULLABLE json, size_t length,
                                  hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** The same from a file. HOIST_ERR_IO when it cannot be read. */
HOIST_API hoist_unleash_bootstrap *HOIST_NULLABLE
hoist_unleash_bootstrap_from_file(const char *HOIST_NULLABLE path, hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/** One toggle; the variant may be missing as a whole, or parts of it. Start from HOIST_UNLEASH_TOGGLE_INIT. */
typedef struct hoist_unleash_toggle {
    size_t struct_size; /**< sizeof(hoist_unleash_toggle) */
    const char *HOIST_NULLABLE name;
    bool enabled;
    bool impression_data;
    const char *HOIST_NULLABLE variant_name; /**< NULL: no variant */
    bool variant_enabled;
    hoist_unleash_tristate variant_feature_enabled;
    const char *HOIST_NULLABLE payload_type; /**< NULL: no payload */
    const char *HOIST_NULLABLE payload_value;
} hoist_unleash_toggle;

#define HOIST_UNLEASH_TOGGLE_INIT \
    { sizeof(hoist_unleash_toggle), NULL, false, false, NULL, false, HOIST_UNLEASH_ABSENT, NULL, NULL }

/**
 * Adds a toggle; borrowed for the call. HOIST_ERR_ARGUMENT, HOIST_ERR_LIMIT beyond 100,000, HOIST_ERR_STATE for what was
 * made from a document.
 */
HOIST_API hoist_status hoist_unleash_bootstrap_add(hoist_unleash_bootstrap *HOIST_NULLABLE bootstrap,
                                                   const hoist_unleash_toggle *HOIST_NULLABLE toggle);
HOIST_API void hoist_unleash_bootstrap_free(hoist_unleash_bootstrap *HOIST_NULLABLE bootstrap);

/** Readable from hoist_client_open() on: toggles in frontend mode, definitions in backend mode. Copied; replaces the
 *  properties `bootstrap` and `bootstrap.file`. */
HOIST_API hoist_status hoist_unleash_config_set_bootstrap(hoist_config *HOIST_NULLABLE config,
                                                          const hoist_unleash_bootstrap *HOIST_NULLABLE bootstrap);

/**
 * Starts fetching, for clients opened with `autostart` = "false", or anew.
 *
 * @param bootstrap NULL: the first fetch is made at once. Else copied and served; the first fetch comes after one
 *                  refresh interval, and `done` is called at once.
 * @param done      NULL, or called once when the first fetch has ended.
 */
HOIST_API hoist_status hoist_unleash_start(hoist_client *HOIST_NULLABLE client,
                                           const hoist_unleash_bootstrap *HOIST_NULLABLE bootstrap,
                                           hoist_done HOIST_NULLABLE done, void *HOIST_NULLABLE user_data);
/** hoist_unleash_start() that waits. */
HOIST_API hoist_status hoist_unleash_start_wait(hoist_client *HOIST_NULLABLE client,
                                                const hoist_unleash_bootstrap *HOIST_NULLABLE bootstrap,
                                                int64_t timeout_ms);
/**
 * Ends fetching and removes every observer. Flags stay readable; hoist_unleash_start() begins again. What was counted is
 * sent once more in the background, for at most 5 seconds; what cannot be sent is kept.
 */
HOIST_API hoist_status hoist_unleash_stop(hoist_client *HOIST_NULLABLE client);
/** Whether HOIST_TOPIC_UNLEASH_READY has been announced: toggles have been fetched or confirmed. */
HOIST_API bool hoist_unleash_is_ready(const hoist_client *HOIST_NULLABLE client);
/** Why the last fetch failed; HOIST_OK when it did not. */
HOIST_API hoist_status hoist_unleash_last_error(const hoist_client *HOIST_NULLABLE client);

/**
 * Lets a frontend client fetch as another configuration says: its url, key, refresh interval, headers, header
 * provider, bootstrap and fetch options replace the client's own, which are ignored for fetching, whether they are set
 * before or after this call. Metrics go to the client's own url, with its own key and headers; without one, to the
 * poller's. Copied.
 */
HOIST_API hoist_status hoist_unleash_config_set_poller(hoist_config *HOIST_NULLABLE config,
                                                       const hoist_config *HOIST_NULLABLE poller);

/* ---- Context ---------------------------------------------------------------------------------------------- */

/**
 * Replaces the current context: userId, sessionId and remoteAddress of `context` are fields, its other attributes
 * properties, over which `properties` are laid. Polling starts anew and fetches at once.
 *
 * @param properties NULL, or a context whose attributes are all properties.
 * @param done       NULL, or called once when the flags of this context are there.
 */
HOIST_API hoist_status hoist_unleash_update_context(hoist_client *HOIST_NULLABLE client,
                                                    const hoist_context *HOIST_NULLABLE context,
                                                    const hoist_context *HOIST_NULLABLE properties,
                                                    hoist_done HOIST_NULLABLE done, void *HOIST_NULLABLE user_data);
/** hoist_unleash_update_context() that waits. */
HOIST_API hoist_status hoist_unleash_update_context_wait(hoist_client *HOIST_NULLABLE client,
                                                         const hoist_context *HOIST_NULLABLE context,
                                                         const hoist_context *HOIST_NULLABLE properties,
                                                         int64_t timeout_ms);
/**
 * Sets (or with NULL removes) one field or property; several changes one after another cause one fetch. A sessionId stays
 * until another one is set.
 *
 * @return HOIST_OK; HOIST_ERR_ARGUMENT, also for appName and environment in frontend mode, where the properties `app_name`
 *         and `environment` say them.
 */
HOIST_API hoist_status hoist_unleash_set_context_field(hoist_client *HOIST_NULLABLE client,
                                                       const char *HOIST_NULLABLE name,
                                                       const char *HOIST_NULLABLE value);
/** The current context as one flat JSON object. Free with hoist_text_free(). "{}" for another service's client; NULL for NULL. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_unleash_context(const hoist_client *HOIST_NULLABLE client);

/* ---- Events ------------------------------------------------------------------------------------------------ */

/**
 * The topic of an event in Unleash's words: "ready" (HOIST_TOPIC_UNLEASH_READY), "update"
 * (HOIST_TOPIC_UNLEASH_UPDATE), "sent", "error" (metrics could not be sent), "fetch_error", "impression",
 * "initialized", "recovered". 0 for others.
 *
 * hoist_notification_json() of an impression is an object of "toggleName", "enabled", "variant" (its name; only from
 * reads of a variant), "context" (the flat context as it was at the read), "eventId", "eventType" ("isEnabled" or
 * "getVariant") and "impressionData". Its key is the toggle's name. Errors name their cause in
 * hoist_notification_message() and their kind, one of those above, in hoist_notification_status().
 */
HOIST_API hoist_topic hoist_unleash_event_topic(const char *HOIST_NULLABLE name);

/* ---- Strategies, storage, impact metrics -------------------------------------------------------------------- */

/** One parameter of a strategy. Valid only during the call. */
typedef struct hoist_unleash_parameter {
    const char *HOIST_NONNULL name;
    const char *HOIST_NONNULL value;
} hoist_unleash_parameter;

/** A custom strategy. `evaluate` runs on evaluating threads, on several at once; it must be quick. */
typedef struct hoist_unleash_strategy {
    size_t struct_size; /**< sizeof(hoist_unleash_strategy) */
    void *HOIST_NULLABLE user_data;
    bool (*HOIST_NULLABLE evaluate)(void *HOIST_NULLABLE user_data,
                                    const hoist_unleash_parameter *HOIST_NULLABLE parameters, size_t parameter_count,
                                    const hoist_context *HOIST_NULLABLE context);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_unleash_strategy;

#define HOIST_UNLEASH_STRATEGY_INIT { sizeof(hoist_unleash_strategy), NULL, NULL, NULL }

/** Registers a strategy under a name; a later one of the same name replaces it. Rules as for all plug-ins. */
HOIST_API hoist_status hoist_unleash_config_add_strategy(hoist_config *HOIST_NULLABLE config,
                                                         const char *HOIST_NULLABLE name,
                                                         const hoist_unleash_strategy *HOIST_NULLABLE strategy,
                                                         hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/** Receives a toggle from hoist_unleash_storage.value. Valid only during that call. */
typedef struct hoist_unleash_toggle_sink hoist_unleash_toggle_sink;
/** Hands a toggle out; copied. */
HOIST_API hoist_status hoist_unleash_toggle_sink_put(hoist_unleash_toggle_sink *HOIST_NULLABLE sink,
                                                     const hoist_unleash_toggle *HOIST_NULLABLE toggle);

/**
 * Keeps the toggles of a frontend client in place of Hoist's memory. `set` runs on a lane of the client's and
 * replaces all; `value` runs on evaluating threads, on several at once, for every read.
 */
typedef struct hoist_unleash_storage {
    size_t struct_size; /**< sizeof(hoist_unleash_storage) */
    void *HOIST_NULLABLE user_data;
    void (*HOIST_NULLABLE set)(void *HOIST_NULLABLE user_data, const hoist_unleash_toggle *HOIST_NULLABLE toggles,
                               size_t count);
    /** HOIST_OK after handing the toggle to the sink, HOIST_ERR_NOT_FOUND. */
    hoist_status (*HOIST_NULLABLE value)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL name,
                                         hoist_unleash_toggle_sink *HOIST_NONNULL sink);
    /** Empties the storage, after `set` with none: bootstrapped flags are dropped (property
     *  `drop_bootstrap_on_update`). */
    void (*HOIST_NULLABLE clear)(void *HOIST_NULLABLE user_data);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_unleash_storage;

#define HOIST_UNLEASH_STORAGE_INIT { sizeof(hoist_unleash_storage), NULL, NULL, NULL, NULL, NULL }

HOIST_API hoist_status hoist_unleash_config_set_storage(hoist_config *HOIST_NULLABLE config,
                                                        const hoist_unleash_storage *HOIST_NULLABLE storage,
                                                        hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/** What a shared object offers for Unleash alone; the member `unleash` of hoist_plugin, with its rules. */
typedef struct hoist_unleash_plugin {
    size_t struct_size; /**< sizeof(hoist_unleash_plugin) */
    hoist_status (*HOIST_NULLABLE create_storage)(const char *HOIST_NONNULL options,
                                                  hoist_unleash_storage *HOIST_NONNULL storage,
                                                  char *HOIST_NONNULL message, size_t message_size);
    /** Names of the strategies that create_strategy() makes, ended by NULL; at most 64. */
    const char *HOIST_NULLABLE const *HOIST_NULLABLE strategy_names;
    hoist_status (*HOIST_NULLABLE create_strategy)(const char *HOIST_NONNULL name, const char *HOIST_NONNULL options,
                                                   hoist_unleash_strategy *HOIST_NONNULL strategy,
                                                   char *HOIST_NONNULL message, size_t message_size);
} hoist_unleash_plugin;

#define HOIST_UNLEASH_PLUGIN_INIT { sizeof(hoist_unleash_plugin), NULL, NULL, NULL }

/** A label of a sample. */
typedef struct hoist_unleash_label {
    const char *HOIST_NULLABLE name;
    const char *HOIST_NULLABLE value;
} hoist_unleash_label;

/* Impact metrics: the first definition of a name stays; what is recorded under an undefined name is dropped and
 * counted, HOIST_ERR_NOT_FOUND. Sent with the usage metrics, so never where these are disabled. At most 1,000
 * metrics, beyond which a definition gives HOIST_ERR_LIMIT, and 1,000 label sets each. */
HOIST_API hoist_status hoist_unleash_define_counter(hoist_client *HOIST_NULLABLE client,
                                                    const char *HOIST_NULLABLE name, const char *HOIST_NULLABLE help);
HOIST_API hoist_status hoist_unleash_define_gauge(hoist_client *HOIST_NULLABLE client,
                                                  const char *HOIST_NULLABLE name, const char *HOIST_NULLABLE help);
/** @param bounds Upper bounds of the buckets; NULL with `count` 0 for the default ones. */
HOIST_API hoist_status hoist_unleash_define_histogram(hoist_client *HOIST_NULLABLE client,
                                                      const char *HOIST_NULLABLE name,
                                                      const char *HOIST_NULLABLE help,
                                                      const double *HOIST_NULLABLE bounds, size_t count);
HOIST_API hoist_status hoist_unleash_increment(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE name,
                                               int64_t by, const hoist_unleash_label *HOIST_NULLABLE labels,
                                               size_t label_count);
HOIST_API hoist_status hoist_unleash_set_gauge(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE name,
                                               double value, const hoist_unleash_label *HOIST_NULLABLE labels,
                                               size_t label_count);
HOIST_API hoist_status hoist_unleash_observe_histogram(hoist_client *HOIST_NULLABLE client,
                                                       const char *HOIST_NULLABLE name, double value,
                                                       const hoist_unleash_label *HOIST_NULLABLE labels,
                                                       size_t label_count);

#ifdef __cplusplus
}
#endif
#endif
