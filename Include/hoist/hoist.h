/**
 * @file
 * Hoist: feature flags and experimentation for C, C++ and every language with an FFI.
 *
 * This header includes the whole core API; each service adds one of its own, e.g. hoist/unleash.h.
 *
 * Guarantees
 *  G1  Evaluation does not block on network, disk, locks held during I/O, or host callbacks of other calls;
 *      it always returns a value.
 *  G2  Nothing that comes from a server, a cache or a disk can crash, hang or grow the process without bound.
 *  G3  Good data is replaced only by newer valid data; never by an error, an empty body or a failed parse.
 *  G4  The host starts and ends: open returns at once; close returns within its limit and may be repeated;
 *      after it no new host call begins, one still running inside the host is detached.
 *  G5  Every queue, body, depth, retry, header and log line has a limit, and each limit has a counter.
 *  G6  The library leaves the process alone: no signal handlers, no SIGPIPE, no change of locale, umask or
 *      environment, no output but the default logger's warnings on stderr, descriptors close-on-exec.
 *  G7  Keys, tokens and cookies never reach logs, errors, names of cache files or URLs in messages.
 *  G8  Any argument a C caller can pass by mistake gives a status or the fallback.
 *  G9  A forked child works: it evaluates from the last snapshot, background work starts again on first use.
 *  G10 A crash or a loss of power leaves a store that opens, or is set aside and rebuilt.
 *  G11 Plug-ins may be slow, fail, re-enter or answer twice; other clients and evaluating threads do not notice.
 *  G12 TLS is verified; redirects carry neither credentials nor a body to another origin; only http and https are spoken.
 *  One honest limit: when memory is exhausted inside the library, the process ends, as with any Swift code.
 *
 * Ownership, said the same way everywhere
 *  "Borrowed for the call"                    Hoist copies what it keeps.
 *  "Owned by the caller; free with X"         a new object; X is harmless on NULL; the order does not matter.
 *  "Borrowed: valid until X"                  a pointer into an object; X ends it.
 *  "Belongs to Hoist from that call on"       a transfer, also when the call fails.
 *  "Valid only during the call"               copy what you need.
 *
 * Texts: "" is what has no value; NULL is returned for a handle that is NULL, beyond the end of a list, and for what is to
 * be freed and could not be made.
 *
 * Threads: every function may be called from any thread unless its type says otherwise. On a thread of Hoist's
 * own (inside an observer or a plug-in) the calls that wait return HOIST_ERR_STATE.
 */
#ifndef HOIST_HOIST_H
#define HOIST_HOIST_H

#include "base.h"
#include "client.h"
#include "config.h"
#include "context.h"
#include "evaluation.h"
#include "event.h"
#include "observer.h"
#include "plugin.h"
#include "plugin_object.h"
#include "provider.h"
#include "view.h"

#endif
