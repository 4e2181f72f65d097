#include "failure.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

hoist_status failure_say(failure *own, hoist_status status, int rule, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(own->text, sizeof own->text, format, arguments);
  va_end(arguments);
  /* It may quote what came from outside. */
  for (char *byte = own->text; *byte; byte++)
    if ((unsigned char)*byte < ' ' || *byte == '\x7f') *byte = ' ';
  own->status = status;
  own->rule = rule;
  return status;
}

/* By the first word of the answer. GO_ON: the connection is good, and the next call may succeed. CONNECT_ANEW: another server
 * may answer there by now. REST: nothing is sent until the pause is over. REST_FROM_WRITES: likewise, and what reads may succeed. */
static const struct {
  const char *word;
  hoist_status status;
  int rule;
  const char *what;
} known[] = {
    {"HOISTFULL", HOIST_ERR_LIMIT, GO_ON, "as many events wait in Redis as option \"max_events\" allows"},
    {"OOM", HOIST_ERR_LIMIT, GO_ON, "Redis has no memory left: give it more (maxmemory), or a policy of eviction for other keys"},
    {"READONLY", HOIST_ERR_NETWORK, REST_FROM_WRITES, "Redis is a replica and takes no writes: after a fail-over the address has to lead to the new primary"},
    {"LOADING", HOIST_ERR_NETWORK, REST, "Redis is reading its data and does not answer yet"},
    {"MASTERDOWN", HOIST_ERR_NETWORK, REST, "Redis is a replica without its primary"},
    {"MISCONF", HOIST_ERR_IO, GO_ON, "Redis cannot write its data to disk and takes no writes"},
    {"NOREPLICAS", HOIST_ERR_NETWORK, GO_ON, "Redis has too few replicas to take writes"},
    {"BUSY", HOIST_ERR_NETWORK, GO_ON, "Redis is busy with a script"},
    {"MOVED", HOIST_ERR_NETWORK, FOLLOW, "Redis is a cluster, and our keys are elsewhere"},
    {"ASK", HOIST_ERR_NETWORK, REST, "Redis is a cluster, and our keys are being moved"},
    {"TRYAGAIN", HOIST_ERR_NETWORK, GO_ON, "Redis is a cluster, and our keys are being moved"},
    {"CLUSTERDOWN", HOIST_ERR_NETWORK, REST, "Redis is a cluster that is down"},
    {"NOAUTH", HOIST_ERR_CONFIG, REST, "Redis wants a password: give option \"password\""},
    {"WRONGPASS", HOIST_ERR_CONFIG, REST, "Redis refuses user and password"},
    {"NOPERM", HOIST_ERR_CONFIG, REST, "Redis does not allow the user what is needed"},
    {"WRONGTYPE", HOIST_ERR_IO, GO_ON, "another program's data are under a key of ours: give another \"prefix\""},
    {"NOSCRIPT", HOIST_ERR_NETWORK, SEND_WHOLE, "Redis does not know a script"},
};

hoist_status failure_read(failure *own, const char *error) {
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    /* An error inside a script may come with the word in its midst. */
    const char *found = strstr(error, known[i].word);
    size_t length = strlen(known[i].word);
    if (!found || (found != error && found[-1] != ' ' && found[-1] != '-') || (found[length] && found[length] != ' ')) continue;
    return failure_say(own, known[i].status, known[i].rule, "%s (%.160s)", known[i].what, error);
  }
  if (strstr(error, "AUTH") || strstr(error, "invalid password"))
    return failure_say(own, HOIST_ERR_CONFIG, REST, "Redis refuses user and password (%.160s)", error);
  return failure_say(own, HOIST_ERR_NETWORK, GO_ON, "Redis answers: %.200s", error);
}
