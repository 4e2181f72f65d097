/* The table of an event dispatcher over Kafka. */
#ifndef DISPATCHER_H
#define DISPATCHER_H

#include <hoist/plugin.h>

hoist_status dispatcher_make(const char *options, hoist_dispatcher *table, char *message, size_t message_size);

#endif
