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
