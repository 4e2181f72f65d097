/** @file Flagship's visitors as W18 to W20 have them. */
#ifndef FLAGSHIP_VISITORS_H
#define FLAGSHIP_VISITORS_H

#include "hoist_library.h"
#include "statistics.h"
#include "workload.h"

/** Visitors that take turns: more would be about memory. A power of two. */
enum { VISITORS = 64 };

/** Whom a visitor is made for, beforehand. Lives for ever. */
hoist_context *flagship_context(const hoist_library *api, const user *who);
/** A visitor that has consented; ends the process on failure. */
hoist_flagship_visitor *flagship_visitor(
    const hoist_library *api, hoist_client *client, const char *id, const hoist_context *context);

/** Writes a row of W18 to W20, in µs. */
void flagship_report(const char *workload_name, const char *what, size_t size, const sample *nanoseconds);

#endif
