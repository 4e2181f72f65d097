/**
 * @file
 * LaunchDarkly, mode server: stores of rules and of big segments that the host supplies, or a shared object.
 */
#ifndef HOIST_LAUNCHDARKLY_STORES_H
#define HOIST_LAUNCHDARKLY_STORES_H

#include "../client.h"
#include "../config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== Rules ================================================================================================ */

/** What an item is. */
typedef int32_t hoist_launchdarkly_item_kind;
enum {
    HOIST_LAUNCHDARKLY_FLAG    = 0,
    HOIST_LAUNCHDARKLY_SEGMENT = 1
};

/** A flag or a segment as a store keeps it. */
typedef struct hoist_launchdarkly_item {
    size_t struct_size; /**< sizeof(hoist_launchdarkly_item) */
    hoist_launchdarkly_item_kind kind;
    const char *HOIST_NULLABLE key;
    int64_t version;
    bool is_deleted;                 /**< kept for its version alone */
    const char *HOIST_NULLABLE json; /**< as the service wrote it, members that Hoist does not know among it; of a deleted one
                                          a tombstone: key, version, "deleted": true */
    size_t json_size;
} hoist_launchdarkly_item;

#define HOIST_LAUNCHDARKLY_ITEM_INIT { sizeof(hoist_launchdarkly_item), 0, NULL, 0, false, NULL, 0 }

/** Receives items from a store. Valid only during the call that hands it out. */
typedef struct hoist_launchdarkly_item_sink hoist_launchdarkly_item_sink;
/**
 * Adds an item, which is copied. What cannot be read is left out when it is used, and named in the log.
 * @param key  Name of the field that it was kept under.
 * @return HOIST_ERR_LIMIT beyond 256 MiB in all, HOIST_ERR_ARGUMENT for NULL.
 */
HOIST_API hoist_status hoist_launchdarkly_item_sink_add(hoist_launchdarkly_item_sink *HOIST_NULLABLE sink,
                                                        const char *HOIST_NULLABLE key, const char *HOIST_NULLABLE json,
                                                        size_t json_size);

/**
 * Keeps the rules of an environment for several processes, which may be other SDKs of the vendor or its relay. By the rules of
 * plug-ins (plugin.h); members run one at a time for one client, may block, and are required. Each returns HOIST_OK, or any
 * other status for a failure that changed nothing.
 */
typedef struct hoist_launchdarkly_store {
    size_t struct_size; /**< sizeof(hoist_launchdarkly_store) */
    void *HOIST_NULLABLE user_data;
    /** Keeps these items in place of all others, atomically where the store can, and that there has been a whole set.
     *  Segments come before flags, and flags after those they need. */
    hoist_status (*HOIST_NULLABLE init)(void *HOIST_NULLABLE user_data,
                                        const hoist_launchdarkly_item *HOIST_NULLABLE items, size_t count);
    /** Hands out all items of a kind, deleted ones among them. */
    hoist_status (*HOIST_NULLABLE all)(void *HOIST_NULLABLE user_data, hoist_launchdarkly_item_kind kind,
                                       hoist_launchdarkly_item_sink *HOIST_NONNULL sink);
    /** Keeps one item where none is kept, or one of a lower version, atomically for all users of the data.
     *  @return HOIST_ERR_STATE: one that is as new is kept, and in the sink. */
    hoist_status (*HOIST_NULLABLE upsert)(void *HOIST_NULLABLE user_data, const hoist_launchdarkly_item *HOIST_NONNULL item,
                                          hoist_launchdarkly_item_sink *HOIST_NONNULL sink);
    /** Whether there has been a whole set, from any process. */
    hoist_status (*HOIST_NULLABLE initialized)(void *HOIST_NULLABLE user_data, bool *HOIST_NONNULL is_initialized);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_launchdarkly_store;

#define HOIST_LAUNCHDARKLY_STORE_INIT { sizeof(hoist_launchdarkly_store), NULL, NULL, NULL, NULL, NULL, NULL }

/**
 * The store of a client's rules, in place of the cache manager's copy.
 *
 * While the service is there, what comes from it is put into the store. Until it has come, the stored rules are served, if
 * there has been a whole set. They are read again as property `rules_cache_ms` says, so that what others wrote is seen.
 * With property `daemon_mode` nothing is asked of the service: the store is all there is, and another program fills it.
 *
 * @return HOIST_OK; HOIST_ERR_ARGUMENT; HOIST_ERR_STATE when there is one already; HOIST_ERR_UNSUPPORTED for a configuration
 *         of another service. Opening fails with HOIST_ERR_CONFIG in mode client.
 */
HOIST_API hoist_status hoist_launchdarkly_config_set_store(hoist_config *HOIST_NULLABLE config,
                                                           const hoist_launchdarkly_store *HOIST_NULLABLE store,
                                                           hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/** What is known of the store of rules. Start from HOIST_LAUNCHDARKLY_STORE_STATUS_INIT. */
typedef struct hoist_launchdarkly_store_status {
    size_t struct_size; /**< sizeof(hoist_launchdarkly_store_status) */
    bool is_available;  /**< the last call into it has succeeded; true without a store */
    bool is_stale;      /**< it may lack what the service has sent while it was away */
} hoist_launchdarkly_store_status;

#define HOIST_LAUNCHDARKLY_STORE_STATUS_INIT { sizeof(hoist_launchdarkly_store_status), false, false }

/** dataStoreStatus. Does not wait. HOIST_ERR_STATE in mode client and for a closed client. */
HOIST_API hoist_status hoist_launchdarkly_get_store_status(hoist_client *HOIST_NULLABLE client,
                                                           hoist_launchdarkly_store_status *HOIST_NULLABLE status);

/* ==== Big segments ========================================================================================= */

/** Receives memberships. Valid only during the call that hands it out. */
typedef struct hoist_launchdarkly_membership_sink hoist_launchdarkly_membership_sink;
/**
 * Adds one, which is copied; of two of one segment the later counts.
 * @param reference KEY.gGENERATION of the segment.
 * @return HOIST_ERR_LIMIT beyond 1,000,000; HOIST_ERR_ARGUMENT for NULL.
 */
HOIST_API hoist_status hoist_launchdarkly_membership_sink_add(hoist_launchdarkly_membership_sink *HOIST_NULLABLE sink,
                                                              const char *HOIST_NULLABLE reference, bool is_included);

/**
 * Tells which contexts are in segments that are too large for the rules. By the rules of plug-ins (plugin.h); members are
 * required and may block.
 */
typedef struct hoist_launchdarkly_big_segments {
    size_t struct_size; /**< sizeof(hoist_launchdarkly_big_segments) */
    void *HOIST_NULLABLE user_data;
    /** When the store was last brought up to date, in milliseconds since 1970. HOIST_ERR_NOT_FOUND: never. On a lane of its
     *  own, every `big_segments_status_poll_ms`, also while memberships runs. */
    hoist_status (*HOIST_NULLABLE metadata)(void *HOIST_NULLABLE user_data, int64_t *HOIST_NONNULL up_to_date_ms);
    /** The memberships of one context. HOIST_ERR_NOT_FOUND: nothing is known of it, which is as none. On the evaluating
     *  thread, which waits for it, perhaps on several at once.
     *  @param hash Base64 of the SHA-256 of the context's key: the key itself is not told. */
    hoist_status (*HOIST_NULLABLE memberships)(void *HOIST_NULLABLE user_data, const char *HOIST_NONNULL hash,
                                               hoist_launchdarkly_membership_sink *HOIST_NONNULL sink);
    void (*HOIST_NULLABLE release)(void *HOIST_NULLABLE user_data);
} hoist_launchdarkly_big_segments;

#define HOIST_LAUNCHDARKLY_BIG_SEGMENTS_INIT { sizeof(hoist_launchdarkly_big_segments), NULL, NULL, NULL, NULL }

/** The store of big segments of a client in mode server. Returns as hoist_launchdarkly_config_set_store(). */
HOIST_API hoist_status hoist_launchdarkly_config_set_big_segments(
    hoist_config *HOIST_NULLABLE config, const hoist_launchdarkly_big_segments *HOIST_NULLABLE store,
    hoist_error *HOIST_NULLABLE *HOIST_NULLABLE error);

/** What is known of the store of big segments. Start from HOIST_LAUNCHDARKLY_BIG_SEGMENTS_STATUS_INIT. */
typedef struct hoist_launchdarkly_big_segments_status {
    size_t struct_size; /**< sizeof(hoist_launchdarkly_big_segments_status) */
    bool is_available;  /**< it has answered; false without a store */
    bool is_stale;      /**< it was last brought up to date longer ago than property `big_segments_stale_ms` says */
} hoist_launchdarkly_big_segments_status;

#define HOIST_LAUNCHDARKLY_BIG_SEGMENTS_STATUS_INIT { sizeof(hoist_launchdarkly_big_segments_status), false, false }

/**
 * bigSegmentStoreStatus: as last polled; where it was not polled yet, that is waited for. HOIST_ERR_STATE in mode client, for a
 * closed client, and from a member of a plug-in where it would wait.
 */
HOIST_API hoist_status hoist_launchdarkly_get_big_segments_status(
    hoist_client *HOIST_NULLABLE client, hoist_launchdarkly_big_segments_status *HOIST_NULLABLE status);

#ifdef __cplusplus
}
#endif
#endif
