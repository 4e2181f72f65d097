/**
 * @file
 * LaunchDarkly, mode server: all flags for a page's bootstrap, secure mode hash, observers of flags.
 *
 * All have HOIST_ERR_STATE, or the result of failure, in mode client, and warn.
 */
#ifndef HOIST_LAUNCHDARKLY_SERVER_H
#define HOIST_LAUNCHDARKLY_SERVER_H

#include "../client.h"
#include "../context.h"
#include "observe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== Listings ============================================================================================= */

/** Options of hoist_launchdarkly_all_flags_state(), to be added up. Other bits are ignored. */
enum {
    HOIST_LAUNCHDARKLY_CLIENT_SIDE_ONLY     = 1, /**< only flags that browsers may have */
    HOIST_LAUNCHDARKLY_WITH_REASONS         = 2,
    HOIST_LAUNCHDARKLY_DETAILS_IF_TRACKED   = 4  /**< versions and reasons only of flags that events tell of in full */
};

/**
 * allFlagsState: every flag's value for a context, null included, with what the vendor's browser SDKs need to begin with them:
 * `{"a-flag":true,"$flagsState":{"a-flag":{"variation":0,"version":7}},"$valid":true}`. Makes no events, runs no hooks, and does
 * not wait, but for a store of big segments. Any thread.
 *
 * @param context NULL for the current one. Borrowed for the call.
 * @param options Of HOIST_LAUNCHDARKLY_CLIENT_SIDE_ONLY and those after it.
 * @return JSON text, owned by the caller; free with hoist_text_free(). `{"$flagsState":{},"$valid":false}` after close, and, with
 *         a warning in the log, before there are rules, for what is no context, without one, and for other clients; NULL for NULL.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_launchdarkly_all_flags_state(hoist_client *HOIST_NULLABLE client,
                                                                        const hoist_context *HOIST_NULLABLE context,
                                                                        uint32_t options);

/**
 * secureModeHash: shows the vendor's browser SDKs that a context comes from a holder of the SDK key. HMAC-SHA256 in lower-case
 * hexadecimal digits. Also before there are rules, and after close.
 *
 * @param context NULL for the current one. Borrowed for the call.
 * @return Owned by the caller; free with hoist_text_free(). "", and a warning in the log, for what is no context, without one,
 *         without an SDK key, and for other clients; NULL for NULL.
 */
HOIST_API hoist_text *HOIST_NULLABLE hoist_launchdarkly_secure_mode_hash(hoist_client *HOIST_NULLABLE client,
                                                                         const hoist_context *HOIST_NULLABLE context);

/* ==== Observers ============================================================================================ */

/*
 * As those of observe.h: an observer is told on the client's delivery lane until hoist_client_unobserve(), and its table's
 * `release` runs once.
 */

/**
 * Flag change listener: `rules_changed` gets the keys of flags whose rules have come, changed or gone, or those of a flag or a
 * segment that they refer to: one call for each update, after it is in force. Not in daemon mode.
 */
HOIST_API hoist_status hoist_launchdarkly_observe_flag_changes(
    hoist_client *HOIST_NULLABLE client, const hoist_launchdarkly_observer *HOIST_NULLABLE observer,
    hoist_token *HOIST_NULLABLE token);

/**
 * Flag value change listener: `changed` gets one flag's value for one context before and after, "null" where there is none,
 * when it has become another one; what it is at registration is not told. Values are compared in depth, and decided without
 * events and hooks: on this thread at registration, then on the delivery lane.
 *
 * @param context NULL for the one that is current at registration; later ones do not take its place. Borrowed for the call.
 * @return HOIST_ERR_ARGUMENT, and an error in the log, also where there is no context, or it is none.
 */
HOIST_API hoist_status hoist_launchdarkly_observe_flag_value(
    hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE key, const hoist_context *HOIST_NULLABLE context,
    const hoist_launchdarkly_observer *HOIST_NULLABLE observer, hoist_token *HOIST_NULLABLE token);

#ifdef __cplusplus
}
#endif
#endif
