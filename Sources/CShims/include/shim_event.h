/* A descriptor that is readable while something waits: for hosts with an event loop. */
#pragma once

/* Close-on-exec, non-blocking; -1 when the system refuses. */
int shim_event_new(void);
void shim_event_free(int descriptor);
void shim_event_set(int descriptor);
void shim_event_clear(int descriptor);
