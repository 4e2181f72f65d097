/**
 * @file
 * Plug-ins: tables of functions that the host supplies, or a shared object that it loads (plugin_object.h).
 *
 * Rules for every table
 * - `struct_size` is sizeof the table as the host was compiled, which the INIT macros set; newer members are NULL for older
 *   hosts. A size that no such table has is HOIST_ERR_ARGUMENT.
 * - The table is copied during the call that receives it. `user_data` belongs to Hoist from that call on, whether
 *   it succeeds or not: `release` runs exactly once, after the last call into the table has returned, on a thread of
 *   the host's or on one of Hoist's that is meant for the host's code. That may be after the call that ended its use, also
 *   hoist_client_free(), has returned: what `user_data` points at lives until then.
 * - A NULL member means the built-in behaviour. `user_data` is the first argument of every member.
 * - Members run on delivery lanes of the client, never while Hoist holds a lock, and may call every Hoist
 *   function but hoist_client_close() and those that wait (HOIST_ERR_STATE). Hooks and strategies run on the
 *   evaluating thread instead.
 * - A member that does not return in time is set aside: the client goes on without it and counts it.
 * - Arrays of structs are stepped with HOIST_AT(), never by sizeof.
 * - Pointers handed to a member are valid only during the call, unless its comment says otherwise.
 * - C++ exceptions and longjmp must not leave a member.
 */
#ifndef HOIST_PLUGIN_H
#define HOIST_PLUGIN_H

#include "config.h"
#include "evaluation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Logger ---------------------------------------------------------------------------------------------- */

/**
 * Takes log lines, one at a time for one client, as `log.level` and hoist_client_set_log_level() allow. Without it, warnings
 * and errors go to stderr, each behind its priority (`<4>`) where JOURNAL_STREAM says that stderr is the journal's.
 */
typedef struct hoist_logger {
    size_t struct_size; /**< sizeof(hoist_logger) */
    void *HOIST_NULLABLE user_data;
    void (*HOIST_NULLABLE write)(void *HOIST_NULLABLE user_data, hoist_log_level level,
                                 const char *HOIST_NONNULL message, size_t length);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_logger;

#define HOIST_LOGGER_INIT { sizeof(hoist_logger), NULL, NULL, NULL }

HOIST_API hoist_status hoist_config_set_logger(hoist_config *HOIST_NULLABLE config,
                                               const hoist_logger *HOIST_NULLABLE logger,
                                               hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/* ---- Cache manager --------------------------------------------------------------------------------------- */

/** A recorded event as a cache manager keeps it. All members are required. */
typedef struct hoist_event_row {
    size_t struct_size;                    /**< sizeof(hoist_event_row) */
    const char *HOIST_NULLABLE id;         /**< unique in the world; the row's key */
    const char *HOIST_NULLABLE pipeline;   /**< which queue it belongs to */
    const char *HOIST_NULLABLE subject;    /**< the person it speaks of; "" for none */
    int64_t created_at_unix_ms;
    const void *HOIST_NULLABLE payload;
    size_t payload_size;
} hoist_event_row;

#define HOIST_EVENT_ROW_INIT { sizeof(hoist_event_row), NULL, NULL, NULL, 0, NULL, 0 }

/** Receives bytes from hoist_cache.load and .replace. Valid only during that call. */
typedef struct hoist_bytes_sink hoist_bytes_sink;
/** Appends bytes. HOIST_ERR_LIMIT beyond 64 MiB in all. */
HOIST_API hoist_status hoist_bytes_sink_write(hoist_bytes_sink *HOIST_NULLABLE sink,
                                              const void *HOIST_NULLABLE bytes, size_t size);

/** Receives rows from hoist_cache.claim_events. Valid only during that call. */
typedef struct hoist_event_sink hoist_event_sink;
/** Adds a row, which is copied. HOIST_ERR_LIMIT beyond the number asked for. */
HOIST_API hoist_status hoist_event_sink_add(hoist_event_sink *HOIST_NULLABLE sink,
                                            const hoist_event_row *HOIST_NULLABLE row);

/** Through which a cache manager tells of others' changes: Hoist's, from hoist_cache.listen with it until that with another or
 *  NULL, or until `release`. In a forked child it is not known any more. What is not known does no harm. */
typedef struct hoist_cache_news hoist_cache_news;
/**
 * Tells that another user of the same data has announced a change. Any thread; copies, never blocks, and calls none of the
 * plug-in's members. What is posted is looked at a moment later, the same key once: within 250 milliseconds, or, for "any", 3
 * seconds, at a moment that is drawn, so that a fleet does not look at the same time. More than 256 keys within that are "any".
 * @param key Under which something has changed; NULL: under any, for what may have been missed, as after a connection was made.
 * @return HOIST_OK; HOIST_ERR_ARGUMENT for NULL `news` and for a key that is no UTF-8; HOIST_ERR_NOT_FOUND when `news` is over.
 */
HOIST_API hoist_status hoist_cache_news_post(hoist_cache_news *HOIST_NULLABLE news, const char *HOIST_NULLABLE key);

/** How the keys of what is kept of single persons begin. There may be very many: a cache that must make room
 *  removes these first, since without the others nothing works offline. */
#define HOIST_CACHE_PERSON_PREFIX "visitor:"

/**
 * Keeps what must outlive the process, in place of SQLite. Members run one at a time for one client and may
 * block. Each returns HOIST_OK, HOIST_ERR_NOT_FOUND (load) or any other status for a failure that changed nothing.
 * Other machines may use the same data: while `load` fails, events of people who may have refused consent elsewhere wait.
 *
 * Events have an owner (a process) with a lease: rows of another owner whose lease is over may be claimed; no
 * row may be owned by two at a time.
 */
typedef struct hoist_cache {
    size_t struct_size; /**< sizeof(hoist_cache) */
    void *HOIST_NULLABLE user_data;

    hoist_status (*HOIST_NULLABLE load)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL key,
                                        hoist_bytes_sink *HOIST_NONNULL sink);
    hoist_status (*HOIST_NULLABLE save)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL key,
                                        const void *HOIST_NULLABLE value, size_t value_size);
    hoist_status (*HOIST_NULLABLE remove)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL key);

    /** Inserts rows, or replaces those of the same id that `owner` holds; all or none. */
    hoist_status (*HOIST_NULLABLE put_events)(void *HOIST_NULLABLE user_data, const hoist_event_row *HOIST_NONNULL rows,
                                              size_t count, const char *HOIST_NONNULL owner, int64_t lease_ms);
    /** Assigns the oldest rows without an owner to this owner and hands them out, oldest first: at most `max_rows`,
     *  with at most `max_bytes` of payload in all. Not those the owner holds already. */
    hoist_status (*HOIST_NULLABLE claim_events)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL pipeline,
                                                size_t max_rows, size_t max_bytes, const char *HOIST_NONNULL owner,
                                                int64_t lease_ms, hoist_event_sink *HOIST_NONNULL sink);
    /** Removes those of the rows that `owner` holds. */
    hoist_status (*HOIST_NULLABLE remove_events)(void *HOIST_NULLABLE user_data,
                                                 const char *HOIST_NONNULL const *HOIST_NONNULL ids, size_t count,
                                                 const char *HOIST_NONNULL owner);
    /** Removes all rows of a subject in one pipeline, whatever their owner. */
    hoist_status (*HOIST_NULLABLE purge_events)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL subject,
                                                const char *HOIST_NONNULL pipeline);
    /** Prolongs the owner's lease on all its rows; `lease_ms` 0 gives them back. */
    hoist_status (*HOIST_NULLABLE renew_lease)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL owner,
                                               int64_t lease_ms);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);

    /**
     * Compare-and-set: keeps `value` under `key` if what is kept there is `expected`, byte for byte, atomically for all
     * users of the same data, other processes too. So two concurrent changes of one subject's value lose nothing of
     * each other. Without it (NULL, or a table of an earlier header) Hoist loads, compares and saves, one caller at a
     * time in this process, and says once in the log that it does.
     * @param expected NULL: nothing may be kept under the key. An empty value is not NULL.
     * @param value    NULL: what is kept is removed.
     * @param sink     Receives what is kept, when that is something else.
     * @return HOIST_OK: done; HOIST_ERR_STATE: something else is kept, and in the sink; HOIST_ERR_NOT_FOUND:
     *         nothing is kept, though something was expected; any other status for a failure. Only HOIST_OK has
     *         changed anything.
     */
    hoist_status (*HOIST_NULLABLE replace)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL key,
                                           const void *HOIST_NULLABLE expected, size_t expected_size,
                                           const void *HOIST_NULLABLE value, size_t value_size,
                                           hoist_bytes_sink *HOIST_NONNULL sink);

    /**
     * Puts bytes behind what is kept under `key`, if that begins with `head`, byte for byte, atomically for all users of
     * the same data: `load` gives all of it from then on, and `save`, `replace` and `remove` concern all of it. So a small
     * addition to the large value of one subject does not cost writing that again. Without it (NULL, or a table of an
     * earlier header) Hoist writes the whole value each time.
     * @return HOIST_OK: done, and kept like a value that `save` was given; HOIST_ERR_STATE: it begins otherwise;
     *         HOIST_ERR_NOT_FOUND: nothing is kept there; any other status for a failure. Only HOIST_OK has changed
     *         anything.
     */
    hoist_status (*HOIST_NULLABLE append)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL key,
                                          const void *HOIST_NULLABLE head, size_t head_size,
                                          const void *HOIST_NULLABLE bytes, size_t bytes_size);

    /**
     * Leads: of several processes over the same data one at a time, the leader of a value, writes it for all (property
     * fetch.shared, which needs this and `save_led`, and is refused at open without them). Makes `holder` the leader of
     * `key` for `lease_ms` milliseconds from now, by one clock for all users of the data, if there is none, its time is over,
     * or `holder` is the leader, whose time begins anew. Also says which version of the value there is.
     * @param holder      NULL: only looks.
     * @param lease_ms    0: `holder` gives the lead back.
     * @param number_out  0: `holder` does not lead. Else its fencing number, which stays the same while it leads on; each new
     *                    leader's is greater than all before, also when the data were lost meanwhile.
     * @param version_out 0: nothing is kept under `key`. Else a number that is another one after each change of it, whichever
     *                    member made it.
     * @return HOIST_OK, leader or not; any other status for a failure.
     */
    hoist_status (*HOIST_NULLABLE lead)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL key,
                                        const char *HOIST_NULLABLE holder, int64_t lease_ms,
                                        int64_t *HOIST_NONNULL number_out, int64_t *HOIST_NONNULL version_out);
    /**
     * Keeps a value like `save`, if `number` is the newest that `lead` has given out for `key`, in one step with that look: what
     * a leader writes after another has taken its place must not be kept.
     * @param version_out Of the value now.
     * @return HOIST_OK: done; HOIST_ERR_STATE: another has led since, and nothing was changed; any other status for a failure.
     */
    hoist_status (*HOIST_NULLABLE save_led)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL key,
                                            const void *HOIST_NULLABLE value, size_t value_size, int64_t number,
                                            int64_t *HOIST_NONNULL version_out);

    /**
     * Gives back those of the rows that `owner` holds: they have no owner from then on, and any other may claim them. Property
     * events.delivery = forward needs it, and is refused at open without it: there a process leaves what it has recorded, by
     * `put_events` and then this, to one that sends for all.
     * @return HOIST_OK, also for rows that `owner` does not hold, which stay as they are; any other status for a failure.
     */
    hoist_status (*HOIST_NULLABLE give_back_events)(void *HOIST_NULLABLE user_data,
                                                    const char *HOIST_NONNULL const *HOIST_NONNULL ids, size_t count,
                                                    const char *HOIST_NONNULL owner);

    /**
     * Like `replace`, of a value that is of no use any more `lifetime_ms` milliseconds after this call: it may be forgotten
     * then, by one clock for all users of the data. An `append` to it begins that time anew; `save` and `replace` keep it
     * for ever again. So data of a person go when the service has them expire; what says whether a person has consented
     * never comes with a lifetime. Without it (NULL, or a table of an earlier header) Hoist calls `replace`.
     * @param lifetime_ms From 1 on.
     */
    hoist_status (*HOIST_NULLABLE replace_for)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL key,
                                               const void *HOIST_NULLABLE expected, size_t expected_size,
                                               const void *HOIST_NULLABLE value, size_t value_size,
                                               int64_t lifetime_ms, hoist_bytes_sink *HOIST_NONNULL sink);

    /**
     * Tells all users of the same data that what is kept under `key` has changed. Called after a configuration was written for
     * all, and after a person's refusal was. Best effort: any status but HOIST_OK costs the others time, for they look by
     * themselves, too, and is no failure. Without this and `listen` (NULL, or a table of an earlier header) they do no other.
     */
    hoist_status (*HOIST_NULLABLE announce)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL key);
    /**
     * Asks to be told what others announce: from now on the plug-in calls hoist_cache_news_post() with `news`, in place of one
     * given before, and once with NULL whenever something may have been missed. What this client has announced may be among it.
     * Called by a client to whom it is of use, and anew in a forked child, where what the parent was given is not known.
     * @param news Hoist's. NULL: tell no more; when this returns, no post is under way. Before `release` that is not sure to come.
     * @return HOIST_OK; any other status: it cannot now, and is asked again when the client starts anew.
     */
    hoist_status (*HOIST_NULLABLE listen)(void *HOIST_NULLABLE user_data, hoist_cache_news *HOIST_NULLABLE news);
} hoist_cache;

#define HOIST_CACHE_INIT \
    { sizeof(hoist_cache), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL }

HOIST_API hoist_status hoist_config_set_cache(hoist_config *HOIST_NULLABLE config,
                                              const hoist_cache *HOIST_NULLABLE cache,
                                              hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/* ---- Headers --------------------------------------------------------------------------------------------- */

/** One header line of a request or an answer. */
typedef struct hoist_header {
    size_t struct_size; /**< sizeof(hoist_header) */
    const char *HOIST_NULLABLE name;
    const char *HOIST_NULLABLE value;
} hoist_header;

#define HOIST_HEADER_INIT { sizeof(hoist_header), NULL, NULL }

/** Receives headers from a header provider. Valid only during that call. */
typedef struct hoist_header_sink hoist_header_sink;
/** Adds a header, which is copied. HOIST_ERR_ARGUMENT for CR, LF or other control characters. */
HOIST_API hoist_status hoist_header_sink_add(hoist_header_sink *HOIST_NULLABLE sink, const char *HOIST_NULLABLE name,
                                             const char *HOIST_NULLABLE value);

/** Supplies headers, e.g. a fresh token, once before each request. */
typedef struct hoist_header_provider {
    size_t struct_size; /**< sizeof(hoist_header_provider) */
    void *HOIST_NULLABLE user_data;
    /** @param url Address of the request without its query. @return HOIST_OK, else the request goes out without. */
    hoist_status (*HOIST_NULLABLE provide)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL url,
                                           hoist_header_sink *HOIST_NONNULL sink);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_header_provider;

#define HOIST_HEADER_PROVIDER_INIT { sizeof(hoist_header_provider), NULL, NULL, NULL }

HOIST_API hoist_status hoist_config_set_header_provider(hoist_config *HOIST_NULLABLE config,
                                                        const hoist_header_provider *HOIST_NULLABLE provider,
                                                        hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/* ---- HTTP transport -------------------------------------------------------------------------------------- */

/** A request to carry. Valid only during hoist_transport.send. */
typedef struct hoist_http_request {
    size_t struct_size; /**< sizeof(hoist_http_request) */
    const char *HOIST_NULLABLE method;
    const char *HOIST_NULLABLE url;
    const hoist_header *HOIST_NULLABLE headers;
    size_t header_count;
    const void *HOIST_NULLABLE body;
    size_t body_size;
    int64_t timeout_ms;   /**< of the whole exchange; 0 for none (streams) */
    bool is_stream;       /**< hand out the answer as it comes: open, receive…, end */
} hoist_http_request;

#define HOIST_HTTP_REQUEST_INIT { sizeof(hoist_http_request), NULL, NULL, NULL, 0, NULL, 0, 0, false }

/**
 * One exchange in progress. Owned by the transport from `send` on, until it is finished by exactly one of
 * respond, fail and end; any thread may do that, also inside `send`. What comes after the first finish, or
 * after Hoist's own deadline, is ignored and counted, as long as the exchange was not released.
 */
typedef struct hoist_http_exchange hoist_http_exchange;

/** Finishes with a whole answer; everything is copied. HOIST_ERR_STATE when it was finished before. */
HOIST_API hoist_status hoist_http_exchange_respond(hoist_http_exchange *HOIST_NULLABLE exchange, int32_t status,
                                                   const hoist_header *HOIST_NULLABLE headers, size_t header_count,
                                                   const void *HOIST_NULLABLE body, size_t body_size);
/** Finishes without an answer. `message`: one line for the log, without secrets. */
HOIST_API hoist_status hoist_http_exchange_fail(hoist_http_exchange *HOIST_NULLABLE exchange,
                                                const char *HOIST_NULLABLE message);
/** Stream: the head of the answer is there. */
HOIST_API hoist_status hoist_http_exchange_open(hoist_http_exchange *HOIST_NULLABLE exchange, int32_t status,
                                                const hoist_header *HOIST_NULLABLE headers, size_t header_count);
/** Stream: the next bytes of the body. HOIST_ERR_CANCELLED when no more is wanted: end it. */
HOIST_API hoist_status hoist_http_exchange_receive(hoist_http_exchange *HOIST_NULLABLE exchange,
                                                   const void *HOIST_NULLABLE bytes, size_t size);
/** Stream: finishes in good order. */
HOIST_API hoist_status hoist_http_exchange_end(hoist_http_exchange *HOIST_NULLABLE exchange);
/** True once Hoist has given up on the exchange: finishing it early saves work. */
HOIST_API bool hoist_http_exchange_is_cancelled(const hoist_http_exchange *HOIST_NULLABLE exchange);
/** Gives the exchange back after it was finished; exactly once, the last call on it. NULL is harmless. */
HOIST_API void hoist_http_exchange_release(hoist_http_exchange *HOIST_NULLABLE exchange);

/** Carries requests in place of libcurl. */
typedef struct hoist_transport {
    size_t struct_size; /**< sizeof(hoist_transport) */
    void *HOIST_NULLABLE user_data;
    /**
     * Begins an exchange; should not block.
     * @return HOIST_OK: the exchange will be finished and released by the transport. Anything else: it failed,
     *         and `exchange` is no longer valid.
     */
    hoist_status (*HOIST_NULLABLE send)(void *HOIST_NULLABLE user_data, const hoist_http_request *HOIST_NONNULL request,
                                        hoist_http_exchange *HOIST_NONNULL exchange);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_transport;

#define HOIST_TRANSPORT_INIT { sizeof(hoist_transport), NULL, NULL, NULL }

HOIST_API hoist_status hoist_config_set_transport(hoist_config *HOIST_NULLABLE config,
                                                  const hoist_transport *HOIST_NULLABLE transport,
                                                  hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/* ---- Event dispatcher ------------------------------------------------------------------------------------ */

/** A batch of recorded events on its way, already in the vendor's wire form. Valid only during `dispatch`. */
typedef struct hoist_dispatch_batch {
    size_t struct_size;
    const char *HOIST_NULLABLE pipeline;  /**< which queue, e.g. "metrics" */
    const char *HOIST_NULLABLE method;
    const char *HOIST_NULLABLE url;
    const hoist_header *HOIST_NULLABLE headers;
    size_t header_count;
    const void *HOIST_NULLABLE body;
    size_t body_size;
    const char *HOIST_NULLABLE const *HOIST_NULLABLE event_ids; /**< stable: the same on every attempt */
    size_t event_count;
    const char *HOIST_NULLABLE service;  /**< the client's, e.g. "unleash" */
    const char *HOIST_NULLABLE path;     /**< of `url`, without its query, and with "***" for what may be a key or a person */
    /** Of what names the client's store, service and key among it: SHA-256, in hexadecimal. The same for all clients that
     *  could send for one another. */
    const char *HOIST_NULLABLE key_hash;
    const char *HOIST_NULLABLE subject;  /**< the person of whom all of the events speak; "" for none, and for several */
    /** How many milliseconds the answer is waited for: one that comes later is ignored, and the batch comes again. */
    int64_t timeout_ms;
    int32_t attempt;                     /**< 1 for the first */
} hoist_dispatch_batch;

/** The pending answer for one batch. As hoist_http_exchange: finished once, by any thread, at any time. */
typedef struct hoist_dispatch_receipt hoist_dispatch_receipt;

/**
 * Tells what became of the batch, and gives the receipt back; exactly once.
 *
 * @param status HOIST_OK: delivered, the events are forgotten. HOIST_ERR_ARGUMENT: refused for good, they are
 *               dropped and counted. Anything else: tried again later.
 */
HOIST_API void hoist_dispatch_receipt_complete(hoist_dispatch_receipt *HOIST_NULLABLE receipt, hoist_status status);

/**
 * The same, with the reason, and for two more cases.
 *
 * @param status HOIST_ERR_LIMIT: more than can be carried at once; the batch is divided until it is little enough, and an
 *               event that is too large by itself is dropped and counted. HOIST_ERR_CONFIG: not before something is mended
 *               outside of the program; logged as an error, and tried again at the slowest pace. Any other: as
 *               hoist_dispatch_receipt_complete().
 * @param message One line for the log and for observers, without secrets; NULL or "" for none. Borrowed for the call.
 */
HOIST_API void hoist_dispatch_receipt_answer(hoist_dispatch_receipt *HOIST_NULLABLE receipt, hoist_status status,
                                             const char *HOIST_NULLABLE message);

/** Delivers events in place of the built-in HTTP delivery. */
typedef struct hoist_dispatcher {
    size_t struct_size; /**< sizeof(hoist_dispatcher) */
    void *HOIST_NULLABLE user_data;
    /** @return HOIST_OK: the receipt will be completed. Anything else: tried again later, `receipt` is no longer valid. */
    hoist_status (*HOIST_NULLABLE dispatch)(void *HOIST_NULLABLE user_data,
                                            const hoist_dispatch_batch *HOIST_NONNULL batch,
                                            hoist_dispatch_receipt *HOIST_NONNULL receipt);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_dispatcher;

#define HOIST_DISPATCHER_INIT { sizeof(hoist_dispatcher), NULL, NULL, NULL }

HOIST_API hoist_status hoist_config_set_dispatcher(hoist_config *HOIST_NULLABLE config,
                                                   const hoist_dispatcher *HOIST_NULLABLE dispatcher,
                                                   hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/* ---- Evaluation hook ------------------------------------------------------------------------------------- */

/** What is being evaluated. Valid only during the call. */
typedef struct hoist_hook_call {
    size_t struct_size;
    const char *HOIST_NULLABLE key;
    const hoist_context *HOIST_NULLABLE context; /**< NULL: the client's current context */
} hoist_hook_call;

/**
 * Runs around every evaluation of a client, on the evaluating thread, in the order of registration (`before`)
 * and in reverse (the others), as OpenFeature's hooks do. It must be quick: the evaluation waits for it.
 */
typedef struct hoist_hook {
    size_t struct_size; /**< sizeof(hoist_hook) */
    void *HOIST_NULLABLE user_data;
    /** Before the evaluation. Another status than HOIST_OK makes the evaluation an error: the fallback is returned. */
    hoist_status (*HOIST_NULLABLE before)(void *HOIST_NULLABLE user_data, const hoist_hook_call *HOIST_NONNULL call);
    /** After an evaluation without error. */
    void (*HOIST_NULLABLE after)(void *HOIST_NULLABLE user_data, const hoist_hook_call *HOIST_NONNULL call,
                                 const hoist_detail *HOIST_NONNULL detail);
    /** After an evaluation with an error, also one that `before` made. */
    void (*HOIST_NULLABLE error)(void *HOIST_NULLABLE user_data, const hoist_hook_call *HOIST_NONNULL call,
                                 const hoist_detail *HOIST_NONNULL detail);
    /** Last of all, always. */
    void (*HOIST_NULLABLE finally)(void *HOIST_NULLABLE user_data, const hoist_hook_call *HOIST_NONNULL call);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_hook;

#define HOIST_HOOK_INIT { sizeof(hoist_hook), NULL, NULL, NULL, NULL, NULL, NULL }

/** Adds a hook after those already there; at most 16 (HOIST_ERR_LIMIT). */
HOIST_API hoist_status hoist_config_add_hook(hoist_config *HOIST_NULLABLE config, const hoist_hook *HOIST_NULLABLE hook,
                                             hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

#ifdef __cplusplus
}
#endif
#endif
