/**
 * @file
 * Optimizely Feature Experimentation, in its words: datafiles, user contexts, decisions, forced decisions, profiles,
 * notifications, audience segments.
 *
 * The client is a hoist_client opened from hoist_config_new("optimizely"). Everything is decided here, from a datafile:
 * one that the host gives (properties `datafile`, `datafile.file`), one that an earlier run has saved, or one that is
 * downloaded for `sdk_key`. Several clients of one SDK key are independent of each other.
 *
 */
#ifndef HOIST_OPTIMIZELY_H
#define HOIST_OPTIMIZELY_H

#include "optimizely/decision.h"
#include "optimizely/observer.h"
#include "optimizely/platform.h"
#include "optimizely/plugin.h"
#include "optimizely/profile.h"
#include "optimizely/start.h"
#include "optimizely/user.h"
#include "optimizely/variation.h"

/* ---- The core's calls here -------------------------------------------------------------------------------- */

/*
 * READY                    the service has sent or confirmed a datafile, and one is served. A given or saved datafile makes
 *                          a client STALE, and readable, until then: for good without `sdk_key`, and with property
 *                          `background_fetch` off. One that is kept for the next start counts as sent. A given one is
 *                          readable when hoist_client_open() returns, also before what is kept of users has been read.
 * start                    a saved or given datafile is served at once, and what the download brings takes its place.
 * INITIALIZED              what is kept of users has been read: see start.h.
 * hoist_client_bool() …    whether the flag is on; hoist_client_string() the variation's key, hoist_client_json() the
 *                          flag's variables; numbers are members of those, so that hoist_client_int64() is always
 *                          TYPE_MISMATCH, with a fraction and without. They know of the targeting key what decide
 *                          knows of a user of that id, kept profiles and forced variations, add to the profile what is
 *                          new, and send the same impression; of property `decide_options` they heed
 *                          DISABLE_DECISION_EVENT and IGNORE_USER_PROFILE_SERVICE. A profile service of the host's is
 *                          asked on the calling thread, once for each call, and once for a view. Forced decisions and
 *                          segments belong to a user context, and they do not know of them.
 * context of one call      any: everything is decided here. The targeting key is the user id, attributes are the user's.
 * hoist_client_identify()  done at once; nothing is fetched for it.
 * hoist_client_refresh()   one download now, whose datafile is served, also where others are kept for the next start.
 *                          Once the client has been started; before, hoist_optimizely_download_datafile() downloads.
 * hoist_client_track()     trackEvent: properties become tags, `value` the tag "value"; without a targeting key
 *                          HOIST_ERR_OPTIMIZELY_USER_ID_INVALID, for a key that the datafile does not have
 *                          HOIST_ERR_OPTIMIZELY_EVENT_KEY_INVALID, before there is one HOIST_ERR_OPTIMIZELY_SDK_NOT_READY.
 * deliveries               up to 8 batches go side by side. While they fail, one goes after each pause, and the others when
 *                          it is accepted: a failed one comes again after 0.2 s, then longer pauses up to property
 *                          `network.retry_max_ms`; each event keeps its uuid.
 * attempts                 never stop while there is something to ask, and begin after a start that failed, too: after
 *                          3 s, then longer pauses up to property `network.retry_max_ms`, with polling no longer than its
 *                          interval. Answers 401, 403 and 404 are asked again after the longest pause. The state is
 *                          HOIST_CLIENT_FATAL where a start finds no datafile and may not download one.
 * fetch.shared             of the processes over one store one downloads datafiles, and keeps them; a datafile that another is
 *                          to keep (hoist_optimizely_save_datafile()) is left aside with a warning.
 * hoist_client_open()      HOIST_ERR_CONFIG for a broken or missing datafile of the properties without `sdk_key`; with one
 *                          it is warned of, and the service is asked.
 * vendor's events          HOIST_OPTIMIZELY_DATAFILE_CHANGE (observer.h) is told with the document whenever another
 *                          one takes the place of the one that is served, whichever call brought it;
 *                          HOIST_TOPIC_CONFIGURATION_CHANGED only where a flag differs.
 */

#endif
