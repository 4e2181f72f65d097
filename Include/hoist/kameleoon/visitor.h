/**
 * @file
 * Visitors of a Kameleoon site.
 */
#ifndef HOIST_KAMELEOON_VISITOR_H
#define HOIST_KAMELEOON_VISITOR_H

#include "../client.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A visitor: what the vendor calls a client, for one visitor code. Thread-safe. It outlives its client safely: then nothing
 * is ready.
 */
typedef struct hoist_kameleoon_visitor hoist_kameleoon_visitor;

#ifdef __cplusplus
}
#endif
#endif
