/**
 * @file
 * Tracking events.
 */
#ifndef HOIST_EVENT_H
#define HOIST_EVENT_H

#include "client.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a property of an event is. */
typedef int32_t hoist_event_property_type;
enum {
    HOIST_EVENT_TEXT   = 0,
    HOIST_EVENT_NUMBER = 1,
    HOIST_EVENT_BOOL   = 2,
    HOIST_EVENT_JSON   = 3  /**< an object, an array, null, or any other JSON text */
};

/** One property of an event. */
typedef struct hoist_event_property {
    size_t struct_size; /**< sizeof(hoist_event_property) */
    const char *HOIST_NULLABLE name;
    hoist_event_property_type type;
    const char *HOIST_NULLABLE text; /**< of a TEXT and of JSON; ends with a NUL */
    double number;                   /**< of a NUMBER; finite */
    bool boolean;                    /**< of a BOOL */
} hoist_event_property;

#define HOIST_EVENT_PROPERTY_INIT { sizeof(hoist_event_property), NULL, HOIST_EVENT_TEXT, NULL, 0, false }

/** What goes with a tracked event. */
typedef struct hoist_event {
    size_t struct_size;                            /**< sizeof(hoist_event) */
    double value;                                  /**< counts as given when not 0 or when has_value is set */
    bool has_value;
    const hoist_event_property *HOIST_NULLABLE properties; /**< at most 64 */
    size_t property_count;
} hoist_event;

#define HOIST_EVENT_INIT { sizeof(hoist_event), 0, false, NULL, 0 }

/**
 * Records an event and returns; it is delivered in the background, also after a crash or a restart as far as
 * the property `events.durability` says. With "immediate", the call returns once the event is in the
 * store, or in a journal beside the built-in one, which is one write to a file; either outlives the process. Where
 * neither has taken it after two seconds, as while the store fails, it returns HOIST_ERR_UNSAVED: the event is then
 * in memory only, until the store takes it; a thread of Hoist's own does not wait at all. On a disk that stalls, one call at a time may wait for its write to a
 * journal for as long as the system does; the others wait for two seconds. A journal is kept on disks of this machine
 * only, not on those of a network. With HOIST_OK, what this client recorded before it, as for evaluations, outlives the process,
 * too, unless the store fails or those two seconds are over.
 *
 * @param key     Name of the event. Borrowed for the call, like everything else.
 * @param context NULL means the client's current context.
 * @param event   NULL means no value and no properties.
 * What the key, the value and the properties become is the service's: its header says so. What it cannot carry is refused, as
 * is what no event can have, and a line of the log names it. JSON that is a number keeps its digits; a whole one beyond 64 bits
 * is refused.
 *
 * @return HOIST_OK: recorded. HOIST_ERR_UNSAVED: recorded, but not stored yet. HOIST_ERR_LIMIT: the queue is full, the event is dropped and counted.
 *         HOIST_ERR_STATE: closed, perhaps while this call was under way. HOIST_ERR_ARGUMENT. HOIST_ERR_UNSUPPORTED.
 */
HOIST_API hoist_status hoist_client_track(hoist_client *HOIST_NULLABLE client, const char *HOIST_NULLABLE key,
                                          const hoist_context *HOIST_NULLABLE context,
                                          const hoist_event *HOIST_NULLABLE event);

#ifdef __cplusplus
}
#endif
#endif
