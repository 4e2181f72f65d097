/* A socket that never waits beyond a deadline, and what a deadline is. */
#ifndef SOCKET_H
#define SOCKET_H

#include "failure.h"
#include <stddef.h>
#include <stdint.h>

/* Milliseconds of the machine's monotonic clock. */
int64_t now_ms(void);

/* Closed when another program is executed. `path` NULL: host and port. -1: in `why` is the reason. */
int socket_open(const char *path, const char *host, int port, int64_t deadline, failure *why);
/* Raises no SIGPIPE. */
bool socket_send(int socket, const char *bytes, size_t size, int64_t deadline, failure *why);
/* Waits for bytes; the number of those received, 0 for a failure. */
size_t socket_receive(int socket, char *bytes, size_t size, int64_t deadline, failure *why);

#endif
