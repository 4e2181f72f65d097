/**
 * @file
 * AB Tasty Flagship, in its words: visitors, contexts, flags, hits, caches.
 *
 * The client is a hoist_client opened from hoist_config_new("flagship"), for one environment: properties `env_id` and
 * `api_key`. Property `mode` says who assigns campaigns: the service, for each fetch of a visitor ("decision_api"), or
 * this library from a file with all campaigns ("bucketing").
 *
 * The calls of the core speak of Flagship like this. A context's targeting key is the visitor's id. In bucketing mode each
 * call is decided for the context given, without a history: that an assignment stays when allocations change is the visitors'
 * alone. In decision_api mode calls answer for the client's current context, which is that of the shared visitor:
 * hoist_client_identify() makes one, or changes its context, and fetches. NULL is the shared visitor in both modes. Before the
 * start and in panic, whichever visitor's fetch has found out, every call gives its fallback.
 * hoist_client_track() is an Event hit: its value has to be a whole number from 0 on, or the event is refused with
 * HOIST_ERR_FLAGSHIP_HIT_INVALID; properties `category` and `label` are those of the hit.
 *
 * As the vendor's SDKs do, about two visitors in a thousand report how the client is set up when they fetch, without
 * anything of the visitor. Property `usage_tracking` = "false" ends that for a client, environment variable
 * HOIST_NO_USAGE_TRACKING=1 for the process.
 */
#ifndef HOIST_FLAGSHIP_H
#define HOIST_FLAGSHIP_H

#include "client.h"
#include "config.h"
#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What went wrong, beside the statuses of base.h. */
enum {
    HOIST_ERR_FLAGSHIP_NOT_INITIALIZED = 1300, /**< not started, closed, or no bucketing file has come yet */
    HOIST_ERR_FLAGSHIP_PANIC           = 1301, /**< the service has switched everything off */
    HOIST_ERR_FLAGSHIP_NO_CONSENT      = 1302, /**< the visitor has not consented */
    HOIST_ERR_FLAGSHIP_FETCH_FAILED    = 1303, /**< no answer in time, or one that is none */
    HOIST_ERR_FLAGSHIP_CONTEXT_REFUSED = 1304, /**< a context key is reserved, or a value of a wrong type */
    HOIST_ERR_FLAGSHIP_HIT_INVALID     = 1305, /**< a hit lacks something, or has a value that is refused */
    HOIST_ERR_FLAGSHIP_FLAG_TYPE       = 1306  /**< the flag's value is of another type than the default */
};

/** Name and version, "hoist 0.1.0". Static. */
HOIST_API const char *HOIST_NONNULL hoist_flagship_version(void);

#ifdef __cplusplus
}
#endif

#include "flagship/cache.h"
#include "flagship/context.h"
#include "flagship/flags.h"
#include "flagship/hits.h"
#include "flagship/life.h"
#include "flagship/segments.h"
#include "flagship/visitor.h"

#endif
