/* What a host gives as options: see hoist/plugins/redis.h. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NAME_BYTES = 200 };

typedef struct options {
  char *host, *socket, *user, *password;
  int64_t port, database, timeout_ms, retry_first_ms, retry_max_ms;
  bool says_messages, tells_news;
  char prefix[NAME_BYTES + 1], scope[NAME_BYTES + 1];
  int64_t person_ttl_ms, max_events;
} options;

typedef enum asked { ASKED, NOT_ASKED, WRONG } asked;

/* Reads the options of the plug-in `kind`, one of the names that ask for one. `made` is to be freed in any case. WRONG: the
 * reason is in `message`. */
asked options_read(options *made, const char *text, const char *kind, char *message, size_t message_size);
void options_free(options *own);
/* To be freed in any case. False: no memory. */
bool options_copy(options *made, const options *own);

#endif
