/**
 * @file
 * Views: many reads of one snapshot for one context, e.g. for one request or one frame.
 */
#ifndef HOIST_VIEW_H
#define HOIST_VIEW_H

#include "client.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Pins the client's flags and a context as they are now: reads are consistent, the cheapest there are, and hand out
 * borrowed pointers. Thread-safe. Hold it for a request, not forever: it keeps its flags in memory. After the client's close
 * it answers as before, but nothing that it decides is kept or sent. Hooks do not run for its reads.
 */
typedef struct hoist_view hoist_view;

/**
 * @param client  NULL or closed: a view that answers with fallbacks.
 * @param context Copied as it is now; NULL means the client's current context.
 * @return Owned by the caller; free with hoist_view_free(), before or after the client.
 */
HOIST_API hoist_view *HOIST_NULLABLE hoist_view_new(hoist_client *HOIST_NULLABLE client,
                                                    const hoist_context *HOIST_NULLABLE context);

HOIST_API bool hoist_view_bool(hoist_view *HOIST_NULLABLE view, const char *HOIST_NULLABLE key, bool fallback);
HOIST_API int64_t hoist_view_int64(hoist_view *HOIST_NULLABLE view, const char *HOIST_NULLABLE key,
                                   int64_t fallback);
HOIST_API double hoist_view_double(hoist_view *HOIST_NULLABLE view, const char *HOIST_NULLABLE key,
                                   double fallback);

/**
 * The value of a text flag.
 *
 * @param length NULL, or receives the bytes before the NUL.
 * @return Borrowed: valid until hoist_view_free(); or `fallback` itself.
 */
HOIST_API const char *HOIST_NULLABLE hoist_view_string(hoist_view *HOIST_NULLABLE view,
                                                       const char *HOIST_NULLABLE key,
                                                       const char *HOIST_NULLABLE fallback,
                                                       size_t *HOIST_NULLABLE length);

/** The value of a JSON flag as text; as hoist_view_string(). */
HOIST_API const char *HOIST_NULLABLE hoist_view_json(hoist_view *HOIST_NULLABLE view,
                                                     const char *HOIST_NULLABLE key,
                                                     const char *HOIST_NULLABLE fallback,
                                                     size_t *HOIST_NULLABLE length);

/** The name of the variation; as hoist_view_string(). */
HOIST_API const char *HOIST_NULLABLE hoist_view_variation(hoist_view *HOIST_NULLABLE view,
                                                          const char *HOIST_NULLABLE key,
                                                          const char *HOIST_NULLABLE fallback,
                                                          size_t *HOIST_NULLABLE length);

/** Frees a view; NULL is harmless. What it handed out is gone afterwards. */
HOIST_API void hoist_view_free(hoist_view *HOIST_NULLABLE view);

#ifdef __cplusplus
}
#endif
#endif
