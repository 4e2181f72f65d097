/**
 * @file
 * The plug-in `libhoist-redis.so`: what a client keeps, kept in Redis (5.0 or newer, Valkey too) for all machines of a fleet.
 *
 *     hoist_config_load_plugin(config, "/usr/lib/hoist/libhoist-redis.so",
 *                              "{\"socket\": \"/run/redis.sock\", \"scope\": \"unleash:production\"}", &error);
 *
 * Options are a JSON object with the members below; an unknown member, a wrong type or a value out of range fails the loading,
 * with the member's name. Nothing is connected before the client asks for something.
 *
 * What a client waits for
 * - No evaluation waits for Redis, but for those that need a big segment. A call into it ends within HOIST_REDIS_TIMEOUT_MS, connecting included, whatever the server
 *   does; only the look-up of a host name takes the time of the system's resolver.
 * - Where Redis is away, the client goes on in memory and writes what has waited as soon as it is back. After a failure there
 *   is a pause that is drawn at random from 0 to a limit, which doubles from HOIST_REDIS_RETRY_FIRST_MS to
 *   HOIST_REDIS_RETRY_MAX_MS; calls within it fail at once.
 * - With property fetch.shared one process of the scope fetches for all, and the others look for what is new: one request in each
 *   fetch.shared.poll_ms (2000) of each, and at once when it is announced. Leads are judged by the server's clock.
 * - What is wrong is said once per episode, in a line to stderr that begins with "hoist-redis: " (HOIST_REDIS_MESSAGES).
 */
#ifndef HOIST_PLUGINS_REDIS_H
#define HOIST_PLUGINS_REDIS_H

#include "../plugin_object.h"

/* ==== The server =========================================================================================== */

/** Text. Name or address of the server; default "127.0.0.1". */
#define HOIST_REDIS_HOST "host"
/** Number from 1 to 65535; default 6379. */
#define HOIST_REDIS_PORT "port"
/** Text. Path of a unix socket, in place of host and port. */
#define HOIST_REDIS_SOCKET "socket"
/** Text. Who logs in (Redis 6 and newer); needs a password. Default: none, which is Redis' user "default". */
#define HOIST_REDIS_USER "user"
/** Text. Shown in no message. Default: none. */
#define HOIST_REDIS_PASSWORD "password"
/** Number from 0 to 65535: the database; default 0, the only one of a cluster. */
#define HOIST_REDIS_DATABASE "database"
/** Boolean: whether others' changes are announced and heard of, over a connection more of each client to which that is of use;
 *  default true. Without it they are found by looking. */
#define HOIST_REDIS_NEWS "news"
/** Boolean; true is refused: hiredis 0.14 has no TLS. Give the address of a tunnel (stunnel, a sidecar) instead. */
#define HOIST_REDIS_TLS "tls"
/** Number of milliseconds from 1 to 9000: how long one call may take in all; default 2000. */
#define HOIST_REDIS_TIMEOUT_MS "timeout_ms"
/** Number of milliseconds from 0 to 86400000: limit of the first pause after a failure; default 100. */
#define HOIST_REDIS_RETRY_FIRST_MS "retry_first_ms"
/** Number of milliseconds from 0 to 86400000: limit of all pauses; default 10000. */
#define HOIST_REDIS_RETRY_MAX_MS "retry_max_ms"
/** Text: "stderr", the default, or "none". */
#define HOIST_REDIS_MESSAGES "messages"

/* ==== What is wanted ======================================================================================= */

/** Object: a cache manager (hoist_cache) with these options, which may be all but these three and go before those beside it.
 *  Without any of the three there is a cache manager. */
#define HOIST_REDIS_CACHE "cache"
/** Object, likewise: a store of rules for LaunchDarkly's mode server (hoist_launchdarkly_store). */
#define HOIST_REDIS_LAUNCHDARKLY_STORE "launchdarkly_store"
/** Object, likewise: a store of big segments for LaunchDarkly's mode server (hoist_launchdarkly_big_segments). Evaluations that
 *  need one wait for it, up to HOIST_REDIS_TIMEOUT_MS: give that a small number. */
#define HOIST_REDIS_LAUNCHDARKLY_BIG_SEGMENTS "launchdarkly_big_segments"

/* ==== The cache manager ==================================================================================== */

/** Text, required: which clients share what is kept. A plug-in does not know the service and the key of its client, so that
 *  you name them: the same for all processes of one service, environment and key, e.g. "unleash:production"; another for any
 *  other. At most 200 bytes, without "{", "}" and control characters. */
#define HOIST_REDIS_SCOPE "scope"
/** Text: how all keys in Redis begin: "{PREFIX:SCOPE}:…", which keeps them in one slot of a cluster. Default "hoist"; for a
 *  LaunchDarkly store "launchdarkly", as in the vendor's SDKs and relay, whose keys are "PREFIX:…". */
#define HOIST_REDIS_PREFIX "prefix"
/** Number of milliseconds: how long what is kept of a person (HOIST_CACHE_PERSON_PREFIX) stays after it was last written. Default
 *  0: for ever. A refusal of consent and an assignment are forgotten with it. Data that a service has expire (Kameleoon's
 *  data_expiration_interval_minute) go by themselves after that time; the sooner of both counts. */
#define HOIST_REDIS_PERSON_TTL_MS "person_ttl_ms"
/** Number: how many events may wait, those of all processes of the scope; default 1000000, 0 for no limit. Beyond it new ones are
 *  refused, and stay with the process that recorded them. */
#define HOIST_REDIS_MAX_EVENTS "max_events"

#endif
