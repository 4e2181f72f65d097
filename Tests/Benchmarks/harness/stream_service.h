/** @file LaunchDarkly's streaming service, as far as its clients are measured: the workloads are the service themselves. */
#ifndef STREAM_SERVICE_H
#define STREAM_SERVICE_H

#include <stdbool.h>
#include <stddef.h>

/** The data of an event `put`, between `head` and `tail`. */
typedef struct { const char *flags, *head, *tail; size_t size; } whole_set;

/** That of the file `folder`/`name`: the values of one context, or (`of_rules`) what is streamed of an environment. Never freed. */
whole_set whole_set_read(const char *folder, const char *name, bool of_rules);

/** A listening socket; `url` receives its address. Ends the process when there is none. */
int listen_on_loopback(char url[64]);
/** Waits for a client on a listening socket and answers its request with an open stream that begins with the set.
 *  Returns the stream, or -1 when the client is gone. */
int accept_stream(int listening, const whole_set *set);
/** Each returns false when the client has closed the stream. */
bool send_all(int stream, const char *text, size_t size);
bool send_put(int stream, const whole_set *set);

#endif
