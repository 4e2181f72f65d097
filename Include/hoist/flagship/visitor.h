/**
 * @file
 * Flagship's visitors: the subjects that flags are fetched for, their consent, the status of fetching.
 */
#ifndef HOIST_FLAGSHIP_VISITOR_H
#define HOIST_FLAGSHIP_VISITOR_H

#include "../client.h"
#include "../context.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A visitor: ids, context, consent, flags. Thread-safe. It holds its client weakly and may outlive it; then, and after the
 * client has closed, it is a visitor of an SDK that is not initialized.
 */
typedef struct hoist_flagship_visitor hoist_flagship_visitor;

/** The state of a visitor's flags. */
typedef int32_t hoist_flagship_fetch_status;
enum {
    HOIST_FLAGSHIP_FETCH_FETCHED  = 0, /**< the flags are those of the context */
    HOIST_FLAGSHIP_FETCH_FETCHING = 1,
    HOIST_FLAGSHIP_FETCH_REQUIRED = 2, /**< the reason says why; flags of before are still served */
    HOIST_FLAGSHIP_FETCH_PANIC    = 3  /**< the service has switched everything off: no flags. It holds for all
                                        *   visitors, as soon as a fetch of one of them or the poll finds it; when another
                                        *   one finds its end, the former state and flags are back, but for a visitor whose
                                        *   own fetch has found the panic: it has lost its flags, and says panic until they
                                        *   are fetched again, which the client sees to for its shared visitor in
                                        *   decision_api mode */
};

/** Why flags have to be fetched. */
typedef int32_t hoist_flagship_fetch_reason;
enum {
    HOIST_FLAGSHIP_REASON_NONE               = 0,
    HOIST_FLAGSHIP_REASON_VISITOR_CREATE     = 1, /**< nothing was fetched yet, and nothing cached */
    HOIST_FLAGSHIP_REASON_UPDATE_CONTEXT     = 2,
    HOIST_FLAGSHIP_REASON_AUTHENTICATE       = 3,
    HOIST_FLAGSHIP_REASON_UNAUTHENTICATE     = 4,
    HOIST_FLAGSHIP_REASON_FETCH_ERROR        = 5, /**< the last fetch failed */
    HOIST_FLAGSHIP_REASON_FETCHED_FROM_CACHE = 6  /**< the flags are those of an earlier run */
};

/** "FETCHED", "FETCHING", "FETCH_REQUIRED", "PANIC"; "" for other numbers. Static. */
HOIST_API const char *HOIST_NONNULL hoist_flagship_fetch_status_name(hoist_flagship_fetch_status status);
/** "NONE", "VISITOR_CREATE" and so on; "" for other numbers. Static. */
HOIST_API const char *HOIST_NONNULL hoist_flagship_fetch_reason_name(hoist_flagship_fetch_reason reason);
/** What newer SDKs of the vendor call it: "NONE", "FLAGS_NEVER_FETCHED", "VISITOR_CONTEXT_UPDATED", "VISITOR_AUTHENTICATED",
 *  "VISITOR_UNAUTHENTICATED", "FLAGS_FETCHING_ERROR", "FLAGS_FETCHED_FROM_CACHE". Static. */
HOIST_API const char *HOIST_NONNULL hoist_flagship_fetch_reason_newer_name(hoist_flagship_fetch_reason reason);

/* ---- Making ---------------------------------------------------------------------------------------------- */

/** Whether a new visitor becomes the client's shared one. */
enum {
    HOIST_FLAGSHIP_SHARED_INSTANCE = 0,
    HOIST_FLAGSHIP_SINGLE_INSTANCE = 0, /**< the same */
    HOIST_FLAGSHIP_NEW_INSTANCE    = 1
};

/**
 * Told each time that status or reason have changed; not of those a visitor begins with, unless its flags come from the
 * cache, and of panic at the visitor's next fetch: the listener of the client hears at once. On the client's delivery lane, in the order of the changes, or in manual dispatch; never after the client has
 * closed. Every function of Hoist may be called but those that wait.
 * @param visitor Borrowed: valid only during the callback.
 */
typedef void (*hoist_flagship_fetch_changed)(void *HOIST_NULLABLE user_data, hoist_flagship_visitor *HOIST_NONNULL visitor,
                                             hoist_flagship_fetch_status status, hoist_flagship_fetch_reason reason);
/** Likewise, when flags have to be fetched. */
typedef void (*hoist_flagship_fetch_required)(void *HOIST_NULLABLE user_data, hoist_flagship_visitor *HOIST_NONNULL visitor,
                                              hoist_flagship_fetch_reason reason);
/** Likewise, when they are fetched. */
typedef void (*hoist_flagship_fetched)(void *HOIST_NULLABLE user_data, hoist_flagship_visitor *HOIST_NONNULL visitor);

/** How a visitor is made. Start from HOIST_FLAGSHIP_VISITOR_OPTIONS_INIT. Everything is borrowed for the call but `user_data`, which belongs to Hoist from then on. */
typedef struct hoist_flagship_visitor_options {
    size_t struct_size; /**< sizeof(hoist_flagship_visitor_options) */
    /** NULL or "": one is generated; with property `generated_ids.keep`, that of the first time. */
    const char *HOIST_NULLABLE id;
    /** Without consent nothing is cached and nothing but that refusal is sent. */
    bool has_consented;
    /** A known visitor. Its anonymous id is made of its own and the environment's: the same in every run, and no
     *  other visitor's. */
    bool is_authenticated;
    /** HOIST_FLAGSHIP_SHARED_INSTANCE: it becomes the client's shared visitor, whose context is the client's current one. */
    int32_t instance;
    /** NULL, or the first context. The targeting key is not looked at. */
    const hoist_context *HOIST_NULLABLE context;
    /** NULL, or pairs as a JSON object, set after those of `context`. */
    const char *HOIST_NULLABLE context_json;
    size_t context_json_length;
    /** NULL, or what hoist_flagship_visitor_export() gave for this id: the visitor begins with those flags, without
     *  a cache look-up. What cannot be read is logged. */
    const char *HOIST_NULLABLE exported;
    size_t exported_length;
    hoist_flagship_fetch_changed HOIST_NULLABLE fetch_changed;
    hoist_flagship_fetch_required HOIST_NULLABLE fetch_required;
    hoist_flagship_fetched HOIST_NULLABLE fetched;
    void *HOIST_NULLABLE user_data;
    /** Called once, when no callback can come any more. */
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_flagship_visitor_options;

#define HOIST_FLAGSHIP_VISITOR_OPTIONS_INIT                                                                                \
    { sizeof(hoist_flagship_visitor_options), NULL, false, false, HOIST_FLAGSHIP_SHARED_INSTANCE, NULL, NULL, 0, NULL, 0,  \
      NULL, NULL, NULL, NULL, NULL }

/**
 * Makes a visitor. Possible at any time, also before the SDK is initialized.
 *
 * With consent, the visitor cache is asked first: this waits for its answer, for property `visitor_cache.timeout_ms` at
 * the longest; on a thread of Hoist's the answer comes later, and fetches wait for it. Pairs of the context that cannot
 * be set are left out, which is logged. Without consent this is a refusal, and may wait for what it erases, as
 * hoist_flagship_visitor_set_consent() does. With property `fetch.at_creation` the first fetch has begun when this
 * returns.
 *
 * @param options NULL: a shared visitor with a generated id, whose consent is property `has_consented`.
 * @param visitor Receives the visitor: owned by the caller; free with hoist_flagship_visitor_free(). NULL on failure.
 * @param error   NULL, or receives why it failed; free with hoist_error_free().
 * @return HOIST_ERR_ARGUMENT, HOIST_ERR_PARSE for a context that is no JSON object, HOIST_ERR_LIMIT when memory ran out,
 *         HOIST_ERR_UNSUPPORTED for a client of another service.
 */
HOIST_API hoist_status hoist_flagship_visitor_new(hoist_client *HOIST_NULLABLE client,
                                                  const hoist_flagship_visitor_options *HOIST_NULLABLE options,
                                                  hoist_flagship_visitor *HOIST_NULLABLE *HOIST_NULLABLE visitor,
                                                  hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);
/** Lets go of a visitor; NULL is harmless. What it has recorded is sent all the same. */
HOIST_API void hoist_flagship_visitor_free(hoist_flagship_visitor *HOIST_NULLABLE visitor);

/** The client's shared visitor. Owned by the caller; free with hoist_flagship_visitor_free(). NULL when there is none, and
 *  after close. */
HOIST_API hoist_flagship_visitor *HOIST_NULLABLE hoist_flagship_shared_visitor(hoist_client *HOIST_NULLABLE client);

/* ---- Ids ------------------------------------------------------------------------------------------------- */

/** Free with hoist_text_free(). NULL for NULL. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_flagship_visitor_id(const hoist_flagship_visitor *HOIST_NULLABLE visitor);
/** The id the visitor had while it was anonymous. Free with hoist_text_free(). "" for one that is anonymous; NULL for NULL. */
HOIST_API hoist_text *HOIST_NULLABLE
hoist_flagship_visitor_anonymous_id(const hoist_flagship_visitor *HOIST_NULLABLE visitor);

/**
 * The visitor is known by another id from now on, and keeps what it was given while anonymous, where experience continuity is
 * enabled on the platform. Its flags have to be fetched; a fetch that is under way is called off.
 * @return HOIST_ERR_ARGUMENT for NULL, "", invalid UTF-8, and the id that the visitor has while it is anonymous, which the
 *         service refuses under both names; HOIST_ERR_UNSUPPORTED in bucketing mode; HOIST_ERR_FLAGSHIP_NOT_INITIALIZED,
 *         HOIST_ERR_FLAGSHIP_PANIC.
 */
HOIST_API hoist_status hoist_flagship_visitor_authenticate(hoist_flagship_visitor *HOIST_NULLABLE visitor,
                                                           const char *HOIST_NULLABLE id);
/** The visitor is anonymous again. Its flags have to be fetched. Fails as hoist_flagship_visitor_authenticate(). */
HOIST_API hoist_status hoist_flagship_visitor_unauthenticate(hoist_flagship_visitor *HOIST_NULLABLE visitor);

/* ---- Consent --------------------------------------------------------------------------------------------- */

/** Also false from when a refusal is found that another client or process has stored of the visitor. false for NULL. */
HOIST_API bool hoist_flagship_visitor_has_consented(const hoist_flagship_visitor *HOIST_NULLABLE visitor);
/**
 * The visitor's consent. Each call is reported to the service. Refusing erases what is cached of the visitor and what
 * waits to be sent, under every id that the visitor has had, and sends nothing any more; flags can be fetched and read
 * all the same. With property `hits.strategy` "continuous_caching" all that is stored before the call returns, which
 * waits for it two seconds at the longest, and not at all on a thread of Hoist's: not even a process that is killed
 * then forgets the refusal. While the SDK is not initialized, and in panic, the answer is not reported, and a refusal
 * erases all the same; on a closed client it is only remembered.
 *
 * Where the client's own store keeps visitors, a refusal stays there in the place of what was kept. Other clients and
 * processes that use the store look there before they send, and send and keep nothing of that visitor either, until it agrees
 * again, which holds under every id that it has had, or is made anew with consent. While a cache manager of the host's cannot
 * be asked, nothing of a visitor is sent.
 * @return HOIST_ERR_ARGUMENT for NULL.
 */
HOIST_API hoist_status hoist_flagship_visitor_set_consent(hoist_flagship_visitor *HOIST_NULLABLE visitor, bool has_consented);

/* ---- Fetching -------------------------------------------------------------------------------------------- */

/** HOIST_FLAGSHIP_FETCH_REQUIRED for NULL. */
HOIST_API hoist_flagship_fetch_status
hoist_flagship_visitor_fetch_status(const hoist_flagship_visitor *HOIST_NULLABLE visitor);
/** HOIST_FLAGSHIP_REASON_NONE for NULL. */
HOIST_API hoist_flagship_fetch_reason
hoist_flagship_visitor_fetch_reason(const hoist_flagship_visitor *HOIST_NULLABLE visitor);

/**
 * Fetches the flags of the visitor as it is now. In bucketing mode they are there when this returns.
 *
 * A fetch joins one that is under way for the same visitor and context, and takes the place of one for another context,
 * whose request is called off. When it fails, the former flags stay.
 *
 * @param done NULL, or called once, after all callbacks of the fetch, on the delivery lane, in manual dispatch or inside
 *             hoist_client_close(), with HOIST_OK; HOIST_ERR_FLAGSHIP_PANIC; HOIST_ERR_FLAGSHIP_FETCH_FAILED;
 *             HOIST_ERR_FLAGSHIP_NOT_INITIALIZED (not started, or no bucketing file has come yet); HOIST_ERR_SUPERSEDED (the
 *             visitor was authenticated or unauthenticated meanwhile, or hoist_client_identify() has made it and names
 *             another visitor); HOIST_ERR_CANCELLED (the client closes).
 * @return HOIST_ERR_ARGUMENT for NULL; HOIST_ERR_STATE when the client is closed or gone, HOIST_ERR_LIMIT when too many calls
 *         are under way; then `done` is not called.
 */
HOIST_API hoist_status hoist_flagship_visitor_fetch(hoist_flagship_visitor *HOIST_NULLABLE visitor,
                                                    hoist_done HOIST_NULLABLE done, void *HOIST_NULLABLE user_data);
/**
 * The same, waiting for its end.
 * @param timeout_ms Negative: no limit but the client's own.
 * @return The status that `done` would get; HOIST_ERR_TIMEOUT when it was not over in time, and goes on; HOIST_ERR_STATE also on
 *         a thread of Hoist's, except in bucketing mode.
 */
HOIST_API hoist_status hoist_flagship_visitor_fetch_wait(hoist_flagship_visitor *HOIST_NULLABLE visitor,
                                                         int64_t timeout_ms);

/**
 * Flags, assignments and ids as JSON, for another visitor of the same id to begin with: member `exported` of its options.
 * Free with hoist_text_free(). NULL for NULL.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_flagship_visitor_export(const hoist_flagship_visitor *HOIST_NULLABLE visitor);

#ifdef __cplusplus
}
#endif
#endif
