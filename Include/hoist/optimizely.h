/**
 * @file
 * Optimizely Feature Experimentation, in its words: datafiles, user contexts, decisions, forced decisions, profiles,
 * notifications, audience segments.
 *
 * The client is a hoist_client opened from hoist_config_new("optimizely"). Everything is decided here, from a datafile:
 * one that the host gives (properties `datafile`, `datafile.file`), one that an earlier run has saved, or one that is
 * downloaded for `sdk_key`. Several clients of one SDK key are independent of each other.
 *
 * The calls of the core speak of Optimizely like this. hoist_client_bool() is whether the flag is on,
 * hoist_client_string() the variation's key, hoist_client_json() the flag's variables; numbers are members of those. The
 * context's targeting key is the user id, its attributes are the user's. Each such call sends the impression that a
 * decide call sends. hoist_client_track() is trackEvent: properties become tags, `value` the tag "value". These calls
 * know neither forced decisions nor profiles nor segments: what a user brings along belongs to a user context.
 */
#ifndef HOIST_OPTIMIZELY_H
#define HOIST_OPTIMIZELY_H

#include "client.h"
#include "config.h"
#include "context.h"
#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== Life: datafiles, start, polling ====================================================================== */

/** What went wrong, beside the statuses of base.h. */
enum {
    HOIST_ERR_OPTIMIZELY_SDK_NOT_READY            = 1100, /**< no datafile yet, or closed */
    HOIST_ERR_OPTIMIZELY_DATAFILE_INVALID         = 1101, /**< not a datafile; the message says what is wrong */
    HOIST_ERR_OPTIMIZELY_DATAFILE_VERSION_INVALID = 1102, /**< a datafile of another version than "4" */
    HOIST_ERR_OPTIMIZELY_DATAFILE_DOWNLOAD_FAILED = 1103, /**< no answer, and nothing to start with */
    HOIST_ERR_OPTIMIZELY_DATAFILE_LOADING_FAILED  = 1104, /**< an answer that is no datafile, and nothing to start with */
    HOIST_ERR_OPTIMIZELY_DATAFILE_REFUSED = 1105 /**< 401, 403, 404: the SDK key or token is wrong; the message names URL
                                                      and the end of the key */
};

/** What events are sent with as client_name and client_version unless the properties say otherwise, "hoist 0.1.0". Static. */
HOIST_API const char *HOIST_NONNULL hoist_optimizely_version(void);

/** The datafile that is served, as it was sent. Free with hoist_text_free(). NULL before there is one and after close. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_optimizely_datafile(const hoist_client *HOIST_NULLABLE client);
/** Its revision. Free with hoist_text_free(). NULL before there is a datafile and after close. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_optimizely_revision(const hoist_client *HOIST_NULLABLE client);
/** Where it came from: "given", "saved" or "network"; "" before there is one and after close. Static. */
HOIST_API const char *HOIST_NONNULL hoist_optimizely_datafile_origin(const hoist_client *HOIST_NULLABLE client);
/** OptimizelyConfig: what the project has, as a JSON object. Free with hoist_text_free(). NULL as the datafile. */
HOIST_API hoist_text *HOIST_NULLABLE hoist_optimizely_config_json(const hoist_client *HOIST_NULLABLE client);

#ifdef __cplusplus
}
#endif
#endif
