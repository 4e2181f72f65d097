/* What went wrong, as a status for the client and a sentence for people. */
#ifndef FAILURE_H
#define FAILURE_H

#include <hoist/base.h>
#include <stdbool.h>

typedef struct failure {
  hoist_status status;
  /* What follows from it for the connection. */
  enum { GO_ON, CONNECT_ANEW, REST, REST_FROM_WRITES, FOLLOW, SEND_WHOLE } rule;
  char text[400];
} failure;

/* Returns `status`. `format` as of printf. */
hoist_status failure_say(failure *own, hoist_status status, int rule, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* What an error that Redis has answered means. */
hoist_status failure_read(failure *own, const char *error);

#endif
