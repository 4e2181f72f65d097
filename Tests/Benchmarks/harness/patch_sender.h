/** @file A process that is LaunchDarkly's streaming service and sends bursts of patches: its processor time and its locks are none
    of the client's. */
#ifndef PATCH_SENDER_H
#define PATCH_SENDER_H

#include "stream_service.h"
#include "workload.h"

#include <stdint.h>

/** Patch `number` is of flag `number` modulo their count, whose value is then the number. */
typedef struct { uint32_t first, count; } burst;

typedef struct { int control; char url[64]; } patch_sender;

/** Started before any client is made; ends with this process. One stream at a time, a closed one makes room for the next. */
patch_sender patch_sender_start(const workload *what, const whole_set *set, bool of_rules);
/** The stream that is open gets the patches as fast as its socket takes them. Returns at once. */
void patch_sender_begin(const patch_sender *self, burst what);
/** Waits until the last burst is sent. Returns false when the client has closed the stream before. */
bool patch_sender_finish(const patch_sender *self);

#endif
