/**
 * @file
 * LaunchDarkly, mode server: moving from an old system to a new one, by the stages that a flag names.
 *
 * A migrator reads or writes in the systems that the stage names. Where its way does not fit, a program asks for the stage,
 * does the work itself, and tells a tracker what was done. Either way the operation becomes an event.
 */
#ifndef HOIST_LAUNCHDARKLY_MIGRATION_H
#define HOIST_LAUNCHDARKLY_MIGRATION_H

#include "../client.h"
#include "../context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How far a migration has come. The flag's value is its name: "off", "dualwrite" and so on. */
typedef int32_t hoist_launchdarkly_migration_stage;
enum {
    HOIST_LAUNCHDARKLY_MIGRATION_OFF       = 0, /**< reads: old; writes: old */
    HOIST_LAUNCHDARKLY_MIGRATION_DUALWRITE = 1, /**< reads: old; writes: old, then new */
    HOIST_LAUNCHDARKLY_MIGRATION_SHADOW    = 2, /**< reads: both, old counts; writes: old, then new */
    HOIST_LAUNCHDARKLY_MIGRATION_LIVE      = 3, /**< reads: both, new counts; writes: new, then old */
    HOIST_LAUNCHDARKLY_MIGRATION_RAMPDOWN  = 4, /**< reads: new; writes: new, then old */
    HOIST_LAUNCHDARKLY_MIGRATION_COMPLETE  = 5  /**< reads: new; writes: new */
};

/** A system that takes part. */
typedef int32_t hoist_launchdarkly_migration_origin;
enum {
    HOIST_LAUNCHDARKLY_MIGRATION_OLD = 0,
    HOIST_LAUNCHDARKLY_MIGRATION_NEW = 1
};

typedef int32_t hoist_launchdarkly_migration_operation;
enum {
    HOIST_LAUNCHDARKLY_MIGRATION_READ  = 0,
    HOIST_LAUNCHDARKLY_MIGRATION_WRITE = 1
};

/* ==== Stage and tracker ==================================================================================== */

/** Gathers what is done in one operation. Thread-safe; not tied to its client's life. */
typedef struct hoist_launchdarkly_migration_tracker hoist_launchdarkly_migration_tracker;

/**
 * migrationVariation: the stage that a flag names for a context. An evaluation, with its events.
 *
 * @param client        May be NULL, closed, or of another kind: then `default_stage` is returned.
 * @param context       NULL for the current one. Borrowed for the call.
 * @param default_stage Returned when the flag cannot be evaluated or names no stage; what is none counts as "off".
 * @param tracker       NULL, or receives a tracker to free with hoist_launchdarkly_migration_tracker_free(); NULL for NULL and for
 *                      other clients than those of mode server.
 */
HOIST_API hoist_launchdarkly_migration_stage hoist_launchdarkly_migration_variation(
    hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE key, const hoist_context *HOIST_NULLABLE context,
    hoist_launchdarkly_migration_stage default_stage,
    hoist_launchdarkly_migration_tracker *HOIST_NULLABLE *HOIST_NULLABLE tracker);

/* These return HOIST_OK, or HOIST_ERR_ARGUMENT for NULL and for what is none. */

/** What is done. */
HOIST_API hoist_status hoist_launchdarkly_migration_tracker_begin(
    hoist_launchdarkly_migration_tracker *HOIST_NULLABLE tracker, hoist_launchdarkly_migration_operation operation);
/** A system was used. */
HOIST_API hoist_status hoist_launchdarkly_migration_tracker_invoked(
    hoist_launchdarkly_migration_tracker *HOIST_NULLABLE tracker, hoist_launchdarkly_migration_origin origin);
/** It has failed. */
HOIST_API hoist_status hoist_launchdarkly_migration_tracker_failed(
    hoist_launchdarkly_migration_tracker *HOIST_NULLABLE tracker, hoist_launchdarkly_migration_origin origin);
/** How long it took; finite, not negative. */
HOIST_API hoist_status hoist_launchdarkly_migration_tracker_took(
    hoist_launchdarkly_migration_tracker *HOIST_NULLABLE tracker, hoist_launchdarkly_migration_origin origin,
    double latency_ms);

/** Whether what both systems gave is the same. */
typedef bool (*hoist_launchdarkly_migration_compare)(void *HOIST_NULLABLE user_data);
/**
 * Compares the results of both.
 * @param compare Called on this thread, before the call returns, or not at all: the flag says which part of checks is made.
 */
HOIST_API hoist_status hoist_launchdarkly_migration_tracker_check(
    hoist_launchdarkly_migration_tracker *HOIST_NULLABLE tracker,
    hoist_launchdarkly_migration_compare HOIST_NULLABLE compare, void *HOIST_NULLABLE user_data);

/**
 * Makes the event of the operation; the flag says of which part of operations one is made.
 *
 * @return HOIST_OK; HOIST_ERR_ARGUMENT, with a warning that says why, for NULL, for a context that was none, and where what was
 *         told does not fit together: it must be a read or a write, systems must be used that fail, take time or are compared;
 *         HOIST_ERR_STATE in mode client and after close; else as hoist_client_track().
 */
HOIST_API hoist_status hoist_launchdarkly_migration_track(hoist_client *HOIST_NULLABLE client,
                                                          hoist_launchdarkly_migration_tracker *HOIST_NULLABLE tracker);

/** Frees a tracker; NULL is harmless. */
HOIST_API void hoist_launchdarkly_migration_tracker_free(hoist_launchdarkly_migration_tracker *HOIST_NULLABLE tracker);

/* ==== Migrator ============================================================================================= */

/** How both systems are read. */
typedef int32_t hoist_launchdarkly_migration_order;
enum {
    HOIST_LAUNCHDARKLY_MIGRATION_SERIAL     = 0, /**< first the one that counts */
    HOIST_LAUNCHDARKLY_MIGRATION_RANDOM     = 1, /**< one after the other, either first */
    HOIST_LAUNCHDARKLY_MIGRATION_CONCURRENT = 2  /**< the one that counts on this thread, the other on one of Hoist's */
};

/** What an event says beside which systems were used; to be added up. */
enum {
    HOIST_LAUNCHDARKLY_MIGRATION_LATENCY = 1, /**< how long each took */
    HOIST_LAUNCHDARKLY_MIGRATION_ERRORS  = 2  /**< which failed */
};

/**
 * How to read and write both systems. Borrowed for each call; start from HOIST_LAUNCHDARKLY_MIGRATOR_INIT.
 *
 * Each function does its work in one system for `payload`, which is the caller's of the operation, and says whether that went
 * well. It may leave something of the host's in `result`, which is NULL before. Both functions of one operation may run at once.
 */
typedef struct hoist_launchdarkly_migrator {
    size_t struct_size; /**< sizeof(hoist_launchdarkly_migrator) */
    void *HOIST_NULLABLE user_data;
    hoist_launchdarkly_migration_order read_order;
    uint32_t measurements;
    bool (*HOIST_NULLABLE read_old)(void *HOIST_NULLABLE user_data, void *HOIST_NULLABLE payload,
                                    void *HOIST_NULLABLE *HOIST_NONNULL result);
    bool (*HOIST_NULLABLE read_new)(void *HOIST_NULLABLE user_data, void *HOIST_NULLABLE payload,
                                    void *HOIST_NULLABLE *HOIST_NONNULL result);
    bool (*HOIST_NULLABLE write_old)(void *HOIST_NULLABLE user_data, void *HOIST_NULLABLE payload,
                                     void *HOIST_NULLABLE *HOIST_NONNULL result);
    bool (*HOIST_NULLABLE write_new)(void *HOIST_NULLABLE user_data, void *HOIST_NULLABLE payload,
                                     void *HOIST_NULLABLE *HOIST_NONNULL result);
    /** Whether what both reads have left is the same; NULL compares nothing. Called where both have succeeded, on the
     *  caller's thread, for the part of reads that the flag says. */
    bool (*HOIST_NULLABLE is_consistent)(void *HOIST_NULLABLE user_data, const void *HOIST_NULLABLE old_result,
                                         const void *HOIST_NULLABLE new_result);
} hoist_launchdarkly_migrator;

#define HOIST_LAUNCHDARKLY_MIGRATOR_INIT \
    { sizeof(hoist_launchdarkly_migrator), NULL, HOIST_LAUNCHDARKLY_MIGRATION_CONCURRENT, \
      HOIST_LAUNCHDARKLY_MIGRATION_LATENCY | HOIST_LAUNCHDARKLY_MIGRATION_ERRORS, NULL, NULL, NULL, NULL, NULL }

/** What an operation has done. Arrays are by origin: [HOIST_LAUNCHDARKLY_MIGRATION_OLD], [HOIST_LAUNCHDARKLY_MIGRATION_NEW]. */
typedef struct hoist_launchdarkly_migration_result {
    size_t struct_size; /**< sizeof(hoist_launchdarkly_migration_result) */
    hoist_launchdarkly_migration_stage stage;
    hoist_launchdarkly_migration_origin authoritative; /**< whose result counts */
    bool was_invoked[2];
    bool has_succeeded[2];
    void *HOIST_NULLABLE value[2]; /**< what its function has left, which is the caller's to free */
} hoist_launchdarkly_migration_result;

#define HOIST_LAUNCHDARKLY_MIGRATION_RESULT_INIT \
    { sizeof(hoist_launchdarkly_migration_result), 0, 0, {false, false}, {false, false}, {NULL, NULL} }

/**
 * Reads where the flag's stage says, and makes the event. Waits for the host's functions. Where the flag cannot be evaluated,
 * also after close, by `default_stage`.
 *
 * @param migrator      With `read_old` and `read_new`.
 * @param context       NULL for the current one. Borrowed for the call.
 * @param default_stage As for hoist_launchdarkly_migration_variation().
 * @param payload       For the functions.
 * @param result        Filled when functions were called.
 * @return HOIST_OK when they were, whatever they said; else none was: HOIST_ERR_ARGUMENT, HOIST_ERR_STATE in mode client,
 *         HOIST_ERR_UNSUPPORTED for a client of another service.
 */
HOIST_API hoist_status hoist_launchdarkly_migrator_read(
    hoist_client *HOIST_NULLABLE client, const hoist_launchdarkly_migrator *HOIST_NULLABLE migrator,
    const char *HOIST_NULLABLE key, const hoist_context *HOIST_NULLABLE context,
    hoist_launchdarkly_migration_stage default_stage, void *HOIST_NULLABLE payload,
    hoist_launchdarkly_migration_result *HOIST_NULLABLE result);

/**
 * Writes where the flag's stage says, one after the other; where the one that counts fails, the other is not written. As
 * hoist_launchdarkly_migrator_read(), with `write_old` and `write_new`.
 */
HOIST_API hoist_status hoist_launchdarkly_migrator_write(
    hoist_client *HOIST_NULLABLE client, const hoist_launchdarkly_migrator *HOIST_NULLABLE migrator,
    const char *HOIST_NULLABLE key, const hoist_context *HOIST_NULLABLE context,
    hoist_launchdarkly_migration_stage default_stage, void *HOIST_NULLABLE payload,
    hoist_launchdarkly_migration_result *HOIST_NULLABLE result);

#ifdef __cplusplus
}
#endif
#endif
