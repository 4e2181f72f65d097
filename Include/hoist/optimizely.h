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
 * decide call sends. hoist_client_track() is trackEvent: properties become tags, `value` the tag "value"; without a
 * targeting key it answers HOIST_ERR_OPTIMIZELY_USER_ID_INVALID. These calls know neither forced decisions nor forced
 * variations nor profiles nor segments: what a user brings along belongs to a user context.
 */
#ifndef HOIST_OPTIMIZELY_H
#define HOIST_OPTIMIZELY_H

#include "optimizely/decision.h"
#include "optimizely/listener.h"
#include "optimizely/platform.h"
#include "optimizely/plugin.h"
#include "optimizely/profile.h"
#include "optimizely/start.h"
#include "optimizely/user.h"
#include "optimizely/variation.h"

#endif
