/* All producers of the process. librdkafka does not survive a fork: a child leaves its parent's behind as it is, with the records
 * in it, which the parent sends, and makes its own. */
#include "producer.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static producer *first; /* guarded by `lock` */

static void before(void) { pthread_mutex_lock(&lock); }
static void in_parent(void) { pthread_mutex_unlock(&lock); }

static void in_child(void) {
  pthread_mutex_init(&lock, NULL);
  for (producer *one = first; one; one = one->next) {
    pthread_mutex_init(&one->lock, NULL);
    pthread_cond_init(&one->changed, NULL);
    one->kafka = NULL;
    one->has_thread = false;
    one->trouble = RD_KAFKA_RESP_ERR_NO_ERROR;
  }
}

static void watch_forks(void) { pthread_atfork(before, in_parent, in_child); }

void producers_add(producer *one) {
  pthread_once(&once, watch_forks);
  pthread_mutex_lock(&lock);
  one->previous = NULL;
  one->next = first;
  if (first) first->previous = one;
  first = one;
  pthread_mutex_unlock(&lock);
}

void producers_remove(producer *one) {
  pthread_mutex_lock(&lock);
  if (one->next) one->next->previous = one->previous;
  if (one->previous) one->previous->next = one->next;
  else first = one->next;
  pthread_mutex_unlock(&lock);
}
