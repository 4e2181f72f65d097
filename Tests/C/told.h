/* What callbacks tell a test, and waiting for it: numbers that are guarded by one lock of the program's own. */
#ifndef TOLD_H
#define TOLD_H

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static inline int read_int(const int *place) {
  pthread_mutex_lock(&lock);
  int value = *place;
  pthread_mutex_unlock(&lock);
  return value;
}

static inline void set_int(int *place, int value) {
  pthread_mutex_lock(&lock);
  *place = value;
  pthread_mutex_unlock(&lock);
}

/* Waits until a number is reached, ten seconds at most. */
static inline bool reaches(const int *place, int value) {
  int left;
  for (left = 10000; left > 0 && read_int(place) < value; left--) usleep(1000);
  return read_int(place) >= value;
}

#endif
