/**
 * @file
 * Kameleoon, in its words: visitors, their data, variations, tracking, remote data.
 *
 * The client is a hoist_client opened from hoist_config_new("kameleoon"), for one site in one environment: properties
 * `site_code` and `environment`. What the vendor calls a client is a bridge for one visitor; here that is a
 * hoist_kameleoon_visitor, and any number of them share one client.
 */
#ifndef HOIST_KAMELEOON_H
#define HOIST_KAMELEOON_H

#include "client.h"
#include "config.h"
#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The core's calls here -------------------------------------------------------------------------------- */

/*
 * READY                    the site's configuration has come or is confirmed. A stored or given one makes a client STALE,
 *                          and readable, until then.
 * HOIST_TOPIC_UPDATED      also told of the fetch that follows each opening of the connection for real-time events, the first
 *                          included: it brings what has changed before.
 * hoist_client_int64()     always TYPE_MISMATCH, with a fraction and without: a flag is no number, its variables may be.
 * context of one call      any: everything is decided here. The targeting key is the visitor's code; attributes are not
 *                          looked at: what is told of a visitor is added to it.
 * hoist_client_identify()  done at once; nothing is fetched for it.
 * hoist_client_refresh()   one fetch of the configuration now.
 * hoist_client_track()     a conversion: the key is the goal's id in decimal, or the event is refused with
 *                          HOIST_ERR_ARGUMENT; the value is its revenue, the property `negative` a boolean or the text
 *                          "true", and any other one is refused with HOIST_ERR_UNSUPPORTED.
 *                          HOIST_ERR_KAMELEOON_SDK_NOT_READY before
 *                          the first configuration.
 * attempts                 never stop. What fails is asked for again at once, once, then after pauses that grow up to
 *                          property `network.retry_max_ms`; where the service refuses the site (401, 403, 404), after the
 *                          longest one.
 * fetch.shared             of the processes over one store one polls and streams.
 * deliveries               a failed one comes again after 5 s, then longer pauses up to property `network.retry_max_ms`;
 *                          each line keeps its nonce.
 * client_secret            goes to no host when `network_domain` is no domain, unless `token.url` names one: the service's
 *                          own hosts are used then, without authorisation, and the log says so.
 * default_datafile         what is no configuration, as an empty object, is left aside; of an answer likewise.
 * events.consent_capacity  what is recorded of visitors who have not said whether they consent, where the site requires
 *                          it; older than `data_expiration_interval_minute`, or 30 days, it is forgotten.
 */

/** What went wrong, beside the statuses of base.h. */
enum {
    HOIST_ERR_KAMELEOON_SDK_NOT_READY      = 1400, /**< no configuration has come yet */
    HOIST_ERR_KAMELEOON_SITE_CODE_IS_EMPTY = 1401,
    HOIST_ERR_KAMELEOON_VISITOR_CODE_INVALID = 1402, /**< empty, or longer than 255 characters */
    HOIST_ERR_KAMELEOON_DATA_FILE_INVALID    = 1403, /**< of the vendor; no call returns it: what is no configuration is
                                                        *   told in the log, and the one before goes on */

    HOIST_ERR_KAMELEOON_FEATURE_NOT_FOUND            = 1410,
    HOIST_ERR_KAMELEOON_FEATURE_ENVIRONMENT_DISABLED = 1411, /**< the flag is switched off in this environment */
    HOIST_ERR_KAMELEOON_FEATURE_VARIATION_NOT_FOUND  = 1412,
    HOIST_ERR_KAMELEOON_FEATURE_VARIABLE_NOT_FOUND   = 1413,
    HOIST_ERR_KAMELEOON_FEATURE_EXPERIMENT_NOT_FOUND = 1414,
    /** The visitor has refused consent, and the site blocks everything then. */
    HOIST_ERR_KAMELEOON_FEATURE_EVALUATION_BLOCKED = 1415
};

/** Name and version, "hoist 0.1.0". Static. */
HOIST_API const char *HOIST_NONNULL hoist_kameleoon_version(void);

#ifdef __cplusplus
}
#endif

#include "kameleoon/flags.h"
#include "kameleoon/life.h"
#include "kameleoon/remote.h"
#include "kameleoon/tracking.h"
#include "kameleoon/visitor.h"

#endif
