/* A descriptor that is readable while something waits: for hosts with an event loop. */
#pragma once

/* Close-on-exec, non-blocking; -1 when the system refuses. */
int shim_event_new(void);
void shim_event_free(int descriptor);
/* In a forked child: puts a new event behind the number, which the parent's poll does not see. */
void shim_event_renew(int descriptor);
void shim_event_set(int descriptor);
void shim_event_clear(int descriptor);
