/* How long nothing is tried after a failure. */
#ifndef PAUSE_H
#define PAUSE_H

#include <stdint.h>

/* Drawn from 0 to a limit, which doubles with each failure after the first: so a fleet does not come back all at once. */
int64_t pause_ms(int failed_attempts, int64_t first_ms, int64_t max_ms, uint64_t random);

#endif
