/**
 * @file
 * LaunchDarkly for clients, in its words: contexts, identify, variations, observers, connection information.
 *
 * The client is a hoist_client opened from hoist_config_new("launchdarkly"). The service evaluates every flag for one
 * context and sends the results, by stream or when it is polled; calls are answered from these, without the network.
 */
#ifndef HOIST_LAUNCHDARKLY_H
#define HOIST_LAUNCHDARKLY_H

#include "client.h"
#include "config.h"
#include "context.h"
#include "launchdarkly/connection.h"
#include "launchdarkly/context.h"
#include "launchdarkly/events.h"
#include "launchdarkly/flags.h"
#include "launchdarkly/identify.h"
#include "launchdarkly/observe.h"
#include "launchdarkly/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== Life: starts, connection ============================================================================= */

/** What went wrong, beside the statuses of base.h. */
enum {
    HOIST_ERR_LAUNCHDARKLY_UNAUTHORIZED     = 1210, /**< 401: the mobile key is refused, the client has gone offline */
    HOIST_ERR_LAUNCHDARKLY_STREAM_SHUT_DOWN = 1211, /**< the service refuses the stream for good, e.g. with 403 or 404 */
    HOIST_ERR_LAUNCHDARKLY_SHED             = 1212, /**< a newer identify took the place of one that waited */
    HOIST_ERR_LAUNCHDARKLY_ALREADY_STARTED  = 1213  /**< the client had been started before */
};

/** Name and version as requests carry them in User-Agent, "HoistClient/0.1.0". Static. */
HOIST_API const char *HOIST_NONNULL hoist_launchdarkly_version(void);

#ifdef __cplusplus
}
#endif
#endif
