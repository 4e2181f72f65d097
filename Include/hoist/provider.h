/**
 * @file
 * Provider plug-ins: a whole service written in C, beside those that Hoist brings.
 *
 * A provider is a table of functions under a name. Registered in the program, or loaded from a shared object, it is
 * opened like any service: hoist_config_new("flag-file"), hoist_config_set(), hoist_client_open(). It finds out what
 * the flags are and publishes them; Hoist compiles and evaluates them, announces what changed, carries requests, keeps
 * what is recorded until it is delivered, and closes in time. Examples/plugins/flag_file_provider.c is a whole one.
 *
 * One life: `create` makes an instance for each client; every other member gets that instance as its first argument.
 * `start` and `stop` come in pairs, once for each opening of the client; `destroy` comes last, exactly once.
 *
 * Threads
 * - Members and callbacks run on the instance's lane, a thread of Hoist's: one at a time, in the order of what caused
 *   them. They may block, and may call every Hoist function but hoist_client_close() and those that wait
 *   (HOIST_ERR_STATE).
 * - `track`, `evaluate`, `record` and `explain` run on the host's threads instead, several at once, and beside the lane.
 *   The host waits for them: they must be quick and take no lock that is held during work.
 * - Functions of hoist_provider_host may be called on any thread, of Hoist's or not. Once the client is freed, and in
 *   `destroy`, the handle has ended: they answer HOIST_ERR_STATE, as most do between the client's end and its next
 *   `start`.
 *
 * A call on the lane that has not returned after 10 seconds is reported once (HOIST_TOPIC_ERROR, the log, statistics).
 * What comes after it waits; evaluations go on with the flags there are, and the client closes without it: the instance
 * then lives until the call returns.
 *
 * Pointers handed to a member or a callback are valid only during the call, unless its comment says otherwise.
 * C++ exceptions and longjmp must not leave a member.
 */
#ifndef HOIST_PROVIDER_H
#define HOIST_PROVIDER_H

#include "event.h"
#include "observer.h"
#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What one instance is offered by its client. Any thread; NULL and ended handles are harmless. */
typedef struct hoist_provider_host hoist_provider_host;

/* ---- Flags ----------------------------------------------------------------------------------------------- */

/** One of the values that a flag can have. */
typedef struct hoist_flag_variation {
    size_t struct_size;              /**< sizeof(hoist_flag_variation) */
    const char *HOIST_NULLABLE name; /**< NULL counts as "" */
    const char *HOIST_NULLABLE json; /**< any JSON text; NULL counts as null: the caller's fallback is served */
} hoist_flag_variation;

#define HOIST_FLAG_VARIATION_INIT { sizeof(hoist_flag_variation), NULL, NULL }

/** A flag as it is published. */
typedef struct hoist_flag {
    size_t struct_size;                                     /**< sizeof(hoist_flag) */
    const char *HOIST_NULLABLE key;                         /**< required, at most 4096 bytes */
    bool enabled;                                           /**< off, fallbacks are served, with the reason DISABLED */
    bool is_decided_per_call;                               /**< hoist_provider.evaluate chooses the variation */
    bool is_recorded;                                       /**< hoist_provider.record is told of evaluations */
    const hoist_flag_variation *HOIST_NULLABLE variations;  /**< NULL: a switch whose value is `enabled` */
    size_t variation_count;                                 /**< at most 1000 */
    int32_t default_variation;                              /**< index of the one served; -1 for none */
    const char *HOIST_NULLABLE metadata;                    /**< a JSON object for hoist_detail_metadata(); NULL is {} */
} hoist_flag;

#define HOIST_FLAG_INIT { sizeof(hoist_flag), NULL, false, false, false, NULL, 0, -1, NULL }

/** Flags to be published together. Plain data: one thread at a time. */
typedef struct hoist_flag_set hoist_flag_set;

/** An empty set. Owned by the caller; free with hoist_flag_set_free(). */
HOIST_API hoist_flag_set *HOIST_NULLABLE hoist_flag_set_new(void);
/**
 * Adds a flag, which is copied. Nothing changes when it is refused.
 *
 * @param error NULL, or receives an error to free with hoist_error_free(), with the flag's key in its message.
 * @return HOIST_OK; HOIST_ERR_ARGUMENT: no key, invalid UTF-8, a key that is there already, no such default variation;
 *         HOIST_ERR_PARSE: a value or the metadata is not JSON; HOIST_ERR_LIMIT: too large, or a 1,000,001st flag.
 */
HOIST_API hoist_status hoist_flag_set_add(hoist_flag_set *HOIST_NULLABLE set, const hoist_flag *HOIST_NULLABLE flag,
                                          hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/**
 * Says that the flags hold for this context only, as where the service evaluates: another one than this and the
 * client's current one gets the fallback, with INVALID_CONTEXT. Without it they hold for every context.
 */
HOIST_API hoist_status hoist_flag_set_limit_to(hoist_flag_set *HOIST_NULLABLE set,
                                               const hoist_context *HOIST_NULLABLE context);
/** Frees a set, published or not; NULL is harmless. */
HOIST_API void hoist_flag_set_free(hoist_flag_set *HOIST_NULLABLE set);

/**
 * Serves these flags from now on, in place of all before: evaluations that begin after it returns see them. Observers
 * are told of those that are new, gone or different. The client is STALE with the first ones, until
 * hoist_provider_host_set_state() says that the service's word on them is good.
 *
 * @param set Borrowed for the call; may be published again, or extended and published again.
 * @return HOIST_OK; HOIST_ERR_ARGUMENT; HOIST_ERR_STATE; HOIST_ERR_LIMIT: too large in all. The former flags go on
 *         being served unless it is HOIST_OK.
 */
HOIST_API hoist_status hoist_provider_host_publish(hoist_provider_host *HOIST_NULLABLE host,
                                                   const hoist_flag_set *HOIST_NULLABLE set,
                                                   hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/* ---- The client ------------------------------------------------------------------------------------------ */

/**
 * The value of a property, the provider's own or one of Hoist's: as text, its default included, secrets in full.
 *
 * @return Owned by the caller; free with hoist_text_free(). NULL for a name that does not exist.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_provider_host_property(hoist_provider_host *HOIST_NULLABLE host,
                                                                  const char *HOIST_NULLABLE name);
/** A copy of the client's current context; free with hoist_context_free(). NULL when there is none. */
HOIST_API hoist_context *HOIST_NULLABLE hoist_provider_host_context(hoist_provider_host *HOIST_NULLABLE host);
/** Whether the network may be used: hoist_client_set_online(). */
HOIST_API bool hoist_provider_host_is_online(hoist_provider_host *HOIST_NULLABLE host);
/** Milliseconds since 1970-01-01T00:00:00Z; may jump. 0 for an ended handle. */
HOIST_API int64_t hoist_provider_host_unix_ms(hoist_provider_host *HOIST_NULLABLE host);
/** Milliseconds since some point in the past; never jumps. 0 for an ended handle. */
HOIST_API int64_t hoist_provider_host_monotonic_ms(hoist_provider_host *HOIST_NULLABLE host);

/** Writes a line to the client's log, as `log.level` allows. No secrets, and attributes of contexts only at DEBUG. */
HOIST_API void hoist_provider_host_log(hoist_provider_host *HOIST_NULLABLE host, hoist_log_level level,
                                       const char *HOIST_NULLABLE message);

/**
 * Says what has become of an attempt. The client's state, its log and what observers are told follow from that as for every
 * service: see hoist_client_state.
 *
 * @param state   HOIST_CLIENT_READY: the service has sent or confirmed the published flags, also once more.
 *                HOIST_CLIENT_ERROR or STALE: an attempt has failed, and attempts go on; with flags the client is STALE,
 *                without any ERROR. STALE as the first word after a start: published flags are of an earlier run.
 *                HOIST_CLIENT_FATAL: attempts have stopped. HOIST_CLIENT_NOT_READY: nothing is known of the service any
 *                more. HOIST_CLIENT_RECONCILING: a change of the context waits for the service. Not CLOSED.
 * @param message One line for people; NULL counts as "".
 * @return HOIST_OK; HOIST_ERR_ARGUMENT; HOIST_ERR_STATE: ended, or READY, STALE or RECONCILING before any flags have
 *         been published.
 */
HOIST_API hoist_status hoist_provider_host_set_state(hoist_provider_host *HOIST_NULLABLE host, hoist_client_state state,
                                                     const char *HOIST_NULLABLE message);

/* ---- Requests, timers, the store --------------------------------------------------------------------------- */

/*
 * What is begun here ends with one call of its callback, on the lane, unless it is cancelled before that call begins:
 * by hoist_provider_host_cancel(), by the end of the client, or, in a forked child, by the fork. What a callback needs
 * is therefore the instance's to free. At most 1024 wait at a time for one instance: HOIST_ERR_LIMIT.
 */

/** How a request ended. */
typedef struct hoist_http_answer {
    size_t struct_size;
    /** HOIST_OK: there is an answer, whatever its status; else HOIST_ERR_NETWORK, _TIMEOUT, _LIMIT (too large),
     *  _ARGUMENT (the address), _CANCELLED. */
    hoist_status status;
    int32_t http_status;
    const hoist_header *HOIST_NULLABLE headers;
    size_t header_count;
    const void *HOIST_NULLABLE body;
    size_t body_size;
    const char *HOIST_NULLABLE message; /**< why there is no answer: one line without secrets; "" when there is one */
} hoist_http_answer;

typedef void (*hoist_provider_answered)(void *HOIST_NULLABLE user_data, const hoist_http_answer *HOIST_NONNULL answer);
typedef void (*hoist_provider_due)(void *HOIST_NULLABLE user_data);
/** `status`: HOIST_OK with the value, or HOIST_ERR_NOT_FOUND. */
typedef void (*hoist_provider_loaded)(void *HOIST_NULLABLE user_data, hoist_status status,
                                      const void *HOIST_NULLABLE value, size_t value_size);

/**
 * Sends a request over the client's transport, with the headers of its header provider.
 *
 * @param request  Copied. `timeout_ms` 0 takes the property `network.timeout_ms`; `is_stream` is HOIST_ERR_UNSUPPORTED.
 * @param answered Required.
 * @param token    NULL, or receives what cancels it.
 * @return HOIST_OK; HOIST_ERR_ARGUMENT; HOIST_ERR_STATE, also when the client is offline; HOIST_ERR_LIMIT.
 */
HOIST_API hoist_status hoist_provider_host_send(hoist_provider_host *HOIST_NULLABLE host,
                                                const hoist_http_request *HOIST_NULLABLE request,
                                                hoist_provider_answered HOIST_NULLABLE answered,
                                                void *HOIST_NULLABLE user_data, hoist_token *HOIST_NULLABLE token);
/** Calls `due` once, no sooner than so many milliseconds from now; less than 0 counts as 0. */
HOIST_API hoist_status hoist_provider_host_schedule(hoist_provider_host *HOIST_NULLABLE host, int64_t delay_ms,
                                                    hoist_provider_due HOIST_NULLABLE due,
                                                    void *HOIST_NULLABLE user_data, hoist_token *HOIST_NULLABLE token);
/** HOIST_OK: its callback will not be called. HOIST_ERR_NOT_FOUND: it has been, or is being called. */
HOIST_API hoist_status hoist_provider_host_cancel(hoist_provider_host *HOIST_NULLABLE host, hoist_token token);

/** Reads what was kept under a key, in this run or an earlier one. */
HOIST_API hoist_status hoist_provider_host_load(hoist_provider_host *HOIST_NULLABLE host, const char *HOIST_NULLABLE key,
                                                hoist_provider_loaded HOIST_NULLABLE loaded,
                                                void *HOIST_NULLABLE user_data);
/** Keeps a value in the client's store (property `store`), which is written behind. HOIST_ERR_LIMIT beyond 64 MiB. */
HOIST_API hoist_status hoist_provider_host_save(hoist_provider_host *HOIST_NULLABLE host, const char *HOIST_NULLABLE key,
                                                const void *HOIST_NULLABLE value, size_t value_size);
HOIST_API hoist_status hoist_provider_host_remove(hoist_provider_host *HOIST_NULLABLE host,
                                                  const char *HOIST_NULLABLE key);

/* ---- Events ---------------------------------------------------------------------------------------------- */

/**
 * A queue of events, which Hoist keeps as durably as `events.durability` says and hands to hoist_provider.encode in
 * batches until they are delivered: also after a crash, by the next client of the same store.
 */
typedef struct hoist_provider_pipeline {
    size_t struct_size;               /**< sizeof(hoist_provider_pipeline) */
    /** Required; a to z, 0 to 9 and _, at most 40. Names its counters too, so none of provider, store, observers,
     *  plugins and snapshots. */
    const char *HOIST_NULLABLE name;
    int64_t flush_interval_ms;        /**< between deliveries, unless `events.flush_interval_ms` says; 0 is at once */
    size_t flush_count;               /**< as soon as so many wait they are sent; 0: by the interval alone */
    size_t batch_count;               /**< most events of one batch; 0 is 500 */
} hoist_provider_pipeline;

#define HOIST_PROVIDER_PIPELINE_INIT { sizeof(hoist_provider_pipeline), NULL, 0, 0, 0 }

/** Events that travel together, the oldest first. */
typedef struct hoist_provider_batch {
    size_t struct_size;
    const char *HOIST_NULLABLE pipeline;
    const char *HOIST_NULLABLE id; /**< the same on every attempt */
    int32_t attempt;               /**< 1 at the first */
    const hoist_event_row *HOIST_NULLABLE rows;
    size_t row_count;
} hoist_provider_batch;

/**
 * Records an event.
 *
 * @param pipeline     One of the table's.
 * @param subject      The subject of the event; NULL counts as "".
 * @param payload      In a form of the provider's own, at most 1 MiB. Copied.
 * @return HOIST_OK: kept; with `events.durability` "immediate" it is in the store or a journal by then, as with
 *         hoist_client_track(), unless this is called inside `evaluate` or `record`, which never wait. HOIST_ERR_LIMIT:
 *         no room, dropped and counted. HOIST_ERR_NOT_FOUND: no such pipeline. HOIST_ERR_ARGUMENT. HOIST_ERR_STATE.
 */
HOIST_API hoist_status hoist_provider_host_record(hoist_provider_host *HOIST_NULLABLE host,
                                                  const char *HOIST_NULLABLE pipeline,
                                                  const char *HOIST_NULLABLE subject,
                                                  const void *HOIST_NULLABLE payload, size_t payload_size);

/** Receives the request for a batch. Valid only during hoist_provider.encode. */
typedef struct hoist_request_sink hoist_request_sink;
/** Gives the request, which is copied; the last one counts. As hoist_provider_host_send(). */
HOIST_API hoist_status hoist_request_sink_set(hoist_request_sink *HOIST_NULLABLE sink,
                                              const hoist_http_request *HOIST_NULLABLE request);

/** A tracked event: hoist_client_track(). */
typedef struct hoist_provider_event {
    size_t struct_size;
    const char *HOIST_NULLABLE key;
    const hoist_context *HOIST_NULLABLE context; /**< of the call, else the client's current one; NULL for none */
    double value;
    bool has_value;
    const hoist_event_property *HOIST_NULLABLE properties;
    size_t property_count;
    int64_t at_unix_ms;
} hoist_provider_event;

/* ---- Evaluations of flags decided per call ------------------------------------------------------------------- */

/** How a variation was chosen, in the words of OpenFeature; hoist_detail_reason(). */
typedef int32_t hoist_reason;
enum {
    HOIST_REASON_UNKNOWN         = 0,
    HOIST_REASON_STATIC          = 1,
    HOIST_REASON_DEFAULT         = 2,
    HOIST_REASON_TARGETING_MATCH = 3,
    HOIST_REASON_SPLIT           = 4,
    HOIST_REASON_CACHED          = 5,
    HOIST_REASON_DISABLED        = 6,
    HOIST_REASON_STALE           = 7
};

/** One evaluation: the question, and the answer as it stands. */
typedef struct hoist_provider_evaluation {
    size_t struct_size;
    const char *HOIST_NULLABLE key;
    /** Of the call, else the client's current one; NULL for none. Borrowed, and read only: hoist_context_get(),
     *  hoist_context_get_targeting_key(), hoist_context_to_json(), evaluations; hoist_context_copy() to keep it. */
    const hoist_context *HOIST_NULLABLE context;
    bool enabled;         /**< the flag's switch */
    int32_t variation;    /**< index, -1 for none: at first the flag's default */
    hoist_reason reason;  /**< at first DEFAULT */
} hoist_provider_evaluation;

/* ---- The table ------------------------------------------------------------------------------------------- */

/** What type the value of a property has. */
typedef int32_t hoist_property_type;
enum {
    HOIST_PROPERTY_TEXT   = 0,
    HOIST_PROPERTY_SECRET = 1, /**< a text that is never shown */
    HOIST_PROPERTY_BOOL   = 2,
    HOIST_PROPERTY_INT64  = 3,
    HOIST_PROPERTY_JSON   = 4
};

/** A property of the provider's own, beside those that every client has. */
typedef struct hoist_provider_property {
    size_t struct_size;              /**< sizeof(hoist_provider_property) */
    const char *HOIST_NULLABLE name; /**< required, e.g. "path"; none of Hoist's own */
    hoist_property_type type;
    bool is_required;
    bool is_identity;                /**< tells one store from another, as an address or a key does */
    const char *HOIST_NULLABLE default_value; /**< as text; NULL for none */
    const char *HOIST_NULLABLE help;          /**< one sentence, with units */
    int64_t minimum;                 /**< of an INT64; both 0 for any */
    int64_t maximum;
} hoist_provider_property;

#define HOIST_PROVIDER_PROPERTY_INIT \
    { sizeof(hoist_provider_property), NULL, HOIST_PROPERTY_TEXT, false, false, NULL, NULL, 0, 0 }

/** The pending reply to one call of `identify` or `flush`. */
typedef struct hoist_provider_reply hoist_provider_reply;
/**
 * Completes the call; on any thread, also inside the member. Only the first counts; NULL, a second completion, and one
 * that comes after 60 seconds (HOIST_ERR_TIMEOUT by then) or after the client's end are harmless.
 */
HOIST_API void hoist_provider_reply_complete(hoist_provider_reply *HOIST_NULLABLE reply, hoist_status status);

/**
 * A service. Everything that the table points at is copied; `user_data` belongs to Hoist from the call on that takes
 * the table, whether it succeeds or not, and `release` runs exactly once, after the last `destroy` has returned. NULL
 * members do nothing, but for `create`, which is required.
 */
typedef struct hoist_provider {
    size_t struct_size; /**< sizeof(hoist_provider) */
    void *HOIST_NULLABLE user_data;
    /** What clients open: a to z, 0 to 9, - and _, beginning with a letter, at most 40. */
    const char *HOIST_NULLABLE name;
    const hoist_provider_property *HOIST_NULLABLE properties;
    size_t property_count; /**< at most 200 */
    const hoist_provider_pipeline *HOIST_NULLABLE pipelines;
    size_t pipeline_count; /**< at most 8; they need `encode` */

    /**
     * Makes the instance of one client, inside hoist_client_open(), which waits for it; at most 10 seconds, then it is
     * refused, and an instance that comes later is destroyed. Properties have been checked one by one. Flags may be
     * published already.
     *
     * @param host     Lent until the client is freed; harmless afterwards.
     * @param instance Receives what the other members get; may stay NULL.
     * @param message  Takes why it failed: one line without secrets, with its NUL at most `message_size` bytes.
     * @return HOIST_OK; anything else makes hoist_client_open() fail with HOIST_ERR_CONFIG, and there is no `destroy`.
     */
    hoist_status (*HOIST_NULLABLE create)(void *HOIST_NULLABLE user_data, hoist_provider_host *HOIST_NONNULL host,
                                          void *HOIST_NULLABLE *HOIST_NONNULL instance, char *HOIST_NONNULL message,
                                          size_t message_size);
    /** The client is open, for the first time or again, or goes on in a forked child: begin to fetch, when online. */
    void (*HOIST_NULLABLE start)(void *HOIST_NULLABLE instance);
    /** The client closes; requests and timers have ended, and what is recorded now may come too late: see `flush`. Not
     *  called when the client is given no time for it, or freed unclosed. */
    void (*HOIST_NULLABLE stop)(void *HOIST_NULLABLE instance);
    /** hoist_client_set_online(). Delivery of events is held meanwhile by Hoist. */
    void (*HOIST_NULLABLE set_online)(void *HOIST_NULLABLE instance, bool is_online);
    /** hoist_client_refresh(): fetch now. */
    void (*HOIST_NULLABLE refresh)(void *HOIST_NULLABLE instance);
    /**
     * The client's current context has become this one. Without the member the change is complete at once. A newer
     * change completes an older one with HOIST_ERR_SUPERSEDED.
     *
     * @param reply HOIST_OK when the flags of this context are published; else HOIST_ERR_NETWORK and the like.
     */
    void (*HOIST_NULLABLE identify)(void *HOIST_NULLABLE instance, const hoist_context *HOIST_NONNULL context,
                                    hoist_provider_reply *HOIST_NONNULL reply);
    /** Record what is counted elsewhere, then complete the reply: Hoist sends what the pipelines hold after it. */
    void (*HOIST_NULLABLE flush)(void *HOIST_NULLABLE instance, hoist_provider_reply *HOIST_NONNULL reply);
    /** In a forked child, before `start`: what was under way or counted belongs to the parent. A member that was
     *  running in another thread of the parent never returns here. */
    void (*HOIST_NULLABLE forked)(void *HOIST_NULLABLE instance);

    /** hoist_client_track(), on the thread that calls it, which gets the result. Without it: HOIST_ERR_UNSUPPORTED. */
    hoist_status (*HOIST_NULLABLE track)(void *HOIST_NULLABLE instance,
                                         const hoist_provider_event *HOIST_NONNULL event);
    /**
     * Decides a flag that is_decided_per_call and enabled, by setting `variation`, `reason` and `enabled`. Required for
     * publishing such a flag.
     *
     * @return HOIST_OK; HOIST_ERR_ARGUMENT: the context will not do (INVALID_CONTEXT); HOIST_ERR_STATE: not ready
     *         (PROVIDER_NOT_READY); anything else, and a variation that the flag does not have, is the error GENERAL.
     */
    hoist_status (*HOIST_NULLABLE evaluate)(void *HOIST_NULLABLE instance,
                                            hoist_provider_evaluation *HOIST_NONNULL evaluation);
    /** After an evaluation of a flag that is_recorded: an exposure. `variation` is -1 when the fallback is served. */
    void (*HOIST_NULLABLE record)(void *HOIST_NULLABLE instance,
                                  const hoist_provider_evaluation *HOIST_NONNULL evaluation);
    /** hoist_client_explain(): writes any JSON that says how a flag was decided, after the decision. */
    hoist_status (*HOIST_NULLABLE explain)(void *HOIST_NULLABLE instance,
                                           const hoist_provider_evaluation *HOIST_NONNULL evaluation,
                                           hoist_bytes_sink *HOIST_NONNULL sink);

    /**
     * Gives the request for a batch; asked once for each attempt.
     *
     * @return HOIST_OK, with a request set; HOIST_ERR_ARGUMENT: these events can never be sent, they are dropped and
     *         counted; anything else: tried again later.
     */
    hoist_status (*HOIST_NULLABLE encode)(void *HOIST_NULLABLE instance, const hoist_provider_batch *HOIST_NONNULL batch,
                                          hoist_request_sink *HOIST_NONNULL sink);
    /**
     * Tells what an answer means. Without it any 2xx is success; 413 halves the batch; 408, 429, 5xx and no answer are
     * tried again, no sooner than Retry-After says; anything else drops the events. Not asked where the host has a
     * dispatcher.
     *
     * @param retry_after_ms 0; may be set to how long to wait at least.
     * @return HOIST_OK: delivered; HOIST_ERR_ARGUMENT: dropped and counted; HOIST_ERR_LIMIT: too large, halve it;
     *         anything else: tried again.
     */
    hoist_status (*HOIST_NULLABLE classify)(void *HOIST_NULLABLE instance,
                                            const hoist_provider_batch *HOIST_NONNULL batch,
                                            const hoist_http_answer *HOIST_NONNULL answer,
                                            int64_t *HOIST_NONNULL retry_after_ms);

    /** The client is freed and no call is in progress. The last call of this instance. */
    void (*HOIST_NULLABLE destroy)(void *HOIST_NULLABLE instance);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_provider;

#define HOIST_PROVIDER_INIT \
    { sizeof(hoist_provider), NULL, NULL, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
      NULL, NULL, NULL, NULL, NULL }

/**
 * Registers a provider for the whole process: configurations made from now on find it by its name.
 *
 * @param error NULL, or receives an error to free with hoist_error_free(), with the name in its message.
 * @return HOIST_OK; HOIST_ERR_ARGUMENT: no table, no size of one, no such name, `create` missing, pipelines without
 *         `encode`; HOIST_ERR_CONFIG: a property that cannot be; HOIST_ERR_STATE: the name is one of Hoist's own, or
 *         registered already.
 */
HOIST_API hoist_status hoist_provider_register(const hoist_provider *HOIST_NULLABLE provider,
                                               hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/**
 * Gives the name free. Configurations and clients that have the provider keep it; `release` runs when the last of them
 * is gone.
 *
 * @return HOIST_OK; HOIST_ERR_ARGUMENT; HOIST_ERR_NOT_FOUND; HOIST_ERR_UNSUPPORTED for one of Hoist's own.
 */
HOIST_API hoist_status hoist_provider_unregister(const char *HOIST_NULLABLE name,
                                                 hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

#ifdef __cplusplus
}
#endif
#endif
