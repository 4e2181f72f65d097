#define _POSIX_C_SOURCE 200809L
#include "forwarder.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How long a rebalance waits for what is under way, so that its next consumer need not send it again. */
enum { REVOKE_MS = 3000, POLL_MS = 100, LOOK_MS = 200, COMMITTED_MS = 5000 };

/* How long the last commit and leaving the group may take: without an answer the group finds out by its session's limit. */
enum { LEAVE_MS = 1000 };

int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now); /* as `changed` has it: a clock that is set neither ends a wait nor prolongs it */
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void forwarder_trouble(forwarder *own, const char *text) {
  pthread_mutex_lock(&own->lock);
  snprintf(own->figures.trouble, sizeof own->figures.trouble, "%s", text);
  pthread_mutex_unlock(&own->lock);
}

void forwarder_let_go(forwarder *own) {
  pthread_mutex_lock(&own->lock);
  bool is_last = --own->holders == 0;
  pthread_mutex_unlock(&own->lock);
  if (!is_last) return;
  pthread_cond_destroy(&own->changed);
  pthread_mutex_destroy(&own->lock);
  options_free(&own->options);
  free(own);
}

/* ---- Partitions: all on the thread ---- */

static rd_kafka_topic_partition_list_t *named(const partition *one) {
  rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(list, one->topic, one->number)->offset = one->done;
  return list;
}

static void set_paused(forwarder *own, partition *one, bool is_paused) {
  if (one->is_paused == is_paused) return;
  one->is_paused = is_paused;
  rd_kafka_topic_partition_list_t *list = named(one);
  if (is_paused) rd_kafka_pause_partitions(own->consumer, list);
  else rd_kafka_resume_partitions(own->consumer, list);
  rd_kafka_topic_partition_list_destroy(list);
}

/* What is done with at the front is committed by librdkafka with its next commit; what is no more ours is not. */
static void store(forwarder *own, partition *one) {
  if (!partition_advance(one)) return;
  rd_kafka_topic_partition_list_t *list = named(one);
  rd_kafka_offsets_store(own->consumer, list);
  rd_kafka_topic_partition_list_destroy(list);
}

static partition *found(forwarder *own, const char *topic, int32_t number) {
  for (partition *one = own->partitions; one; one = one->next)
    if (one->number == number && strcmp(one->topic, topic) == 0) return one;
  return NULL;
}

static void remove_partition(forwarder *own, partition *gone) {
  for (partition **place = &own->partitions; *place; place = &(*place)->next) {
    if (*place != gone) continue;
    *place = gone->next;
    partition_free(gone);
    return;
  }
}

/* Gives what is held back, as far as it may go, and takes up reading again where nothing is. */
static void work(forwarder *own) {
  rd_kafka_poll(own->producer, 0);
  hear_answers(own, 0);
  for (partition *place = own->partitions; place; place = place->next) {
    bool is_held = false;
    int64_t now = now_ms();
    for (record *one = place->first; one; one = one->next) {
      if (one->state == RECORD_REFUSED && one->not_before_ms <= now) bury(own, one);
      if (one->state == RECORD_HELD && !is_held && one->not_before_ms <= now) give(own, one);
      is_held = is_held || one->state == RECORD_HELD || one->state == RECORD_REFUSED;
    }
    store(own, place);
    set_paused(own, place, is_held);
  }
}

static bool is_under_way(const partition *place) {
  for (const record *one = place->first; one; one = one->next)
    if (one->state == RECORD_GIVEN || one->state == RECORD_BURIED) return true;
  return false;
}

/* Waits for what is on its way, of one partition or of all. */
static void wait_for(forwarder *own, const partition *place, int64_t until_ms) {
  while (place ? is_under_way(place) : own->under_way > 0) {
    int64_t now = now_ms();
    if (now >= until_ms) return;
    rd_kafka_poll(own->producer, 0);
    hear_answers(own, now + 50 < until_ms ? now + 50 : until_ms);
  }
}

static int64_t stop_by(forwarder *own) {
  pthread_mutex_lock(&own->lock);
  int64_t by = own->stop_by_ms;
  pthread_mutex_unlock(&own->lock);
  return by;
}

static void assign(forwarder *own, rd_kafka_topic_partition_list_t *list) {
  /* For the lag alone: without an answer it is known with the first record. */
  rd_kafka_topic_partition_list_t *committed = rd_kafka_topic_partition_list_copy(list);
  rd_kafka_committed(own->consumer, committed, COMMITTED_MS);
  for (int i = 0; i < list->cnt; i++) {
    partition *made = partition_new(list->elems[i].topic, list->elems[i].partition, committed->elems[i].offset);
    if (!made) continue;
    made->next = own->partitions;
    own->partitions = made;
  }
  rd_kafka_topic_partition_list_destroy(committed);
  rd_kafka_assign(own->consumer, list);
}

/* What is under way is waited for, and committed with the rest as the partitions go; what is not done by then is the next one's. */
static void revoke(forwarder *own, rd_kafka_topic_partition_list_t *list, bool is_lost) {
  int64_t until = now_ms() + (is_lost || stop_by(own) >= 0 ? 0 : REVOKE_MS);
  for (int i = 0; i < list->cnt; i++) {
    partition *gone = found(own, list->elems[i].topic, list->elems[i].partition);
    if (!gone) continue;
    wait_for(own, gone, until);
    store(own, gone);
    remove_partition(own, gone);
  }
  rd_kafka_assign(own->consumer, NULL);
}

static void rebalance(rd_kafka_t *consumer, rd_kafka_resp_err_t what, rd_kafka_topic_partition_list_t *list, void *opaque) {
  forwarder *own = opaque;
  if (what == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) assign(own, list);
  else revoke(own, list, rd_kafka_assignment_lost(consumer));
}

/* ---- Reading ---- */

static void note_error(rd_kafka_t *kafka, int error, const char *reason, void *opaque) {
  (void)kafka;
  char text[512];
  snprintf(text, sizeof text, "%s: %s", rd_kafka_err2str(error), reason);
  forwarder_trouble(opaque, text);
}

static void take(forwarder *own, rd_kafka_message_t *message) {
  partition *place = message->err ? NULL : found(own, rd_kafka_topic_name(message->rkt), message->partition);
  if (!place) {
    if (message->err) forwarder_trouble(own, rd_kafka_message_errstr(message));
    rd_kafka_message_destroy(message);
    return;
  }
  int64_t offset = message->offset;
  if (place->done < 0) place->done = offset;
  bool is_held = place->last && (place->last->state == RECORD_HELD || place->last->state == RECORD_REFUSED);
  record *one = partition_add(place, own, message);
  if (!one) {
    forwarder_trouble(own, "out of memory");
    rd_kafka_topic_partition_list_t *again = named(place);
    again->elems[0].offset = offset;
    rd_kafka_error_t *error = rd_kafka_seek_partitions(own->consumer, again, 0);
    if (error) rd_kafka_error_destroy(error);
    rd_kafka_topic_partition_list_destroy(again);
    return;
  }
  pthread_mutex_lock(&own->lock);
  own->figures.received++;
  pthread_mutex_unlock(&own->lock);
  if (!is_held) give(own, one);
  set_paused(own, place, is_held || one->state == RECORD_HELD || one->state == RECORD_REFUSED);
}

static void look(forwarder *own) {
  int64_t lag = 0, count = 0, waiting = 0;
  if (now_ms() < own->looked_ms + LOOK_MS) return;
  own->looked_ms = now_ms();
  for (partition *place = own->partitions; place; place = place->next) {
    int64_t low = 0, high = 0;
    rd_kafka_get_watermark_offsets(own->consumer, place->topic, place->number, &low, &high);
    int64_t from = place->done >= 0 ? place->done : low;
    if (high > from && from >= 0) lag += high - from;
    count++;
    for (record *one = place->first; one; one = one->next) waiting += one->state != RECORD_DONE;
  }
  pthread_mutex_lock(&own->lock);
  own->figures.lag = lag;
  own->figures.partitions = count;
  own->figures.waiting = waiting;
  pthread_mutex_unlock(&own->lock);
}

/* Revokes, commits and leaves the group, as rd_kafka_consumer_close does, which waits for brokers without a limit. False when it
 * was not done in time. */
static bool leave(forwarder *own) {
  int64_t until = now_ms() + LEAVE_MS;
  rd_kafka_queue_t *queue = rd_kafka_queue_new(own->consumer);
  rd_kafka_error_t *error = rd_kafka_consumer_close_queue(own->consumer, queue);
  while (!error && !rd_kafka_consumer_closed(own->consumer) && now_ms() < until) rd_kafka_queue_poll_callback(queue, POLL_MS / 2);
  if (error) rd_kafka_error_destroy(error);
  rd_kafka_queue_destroy(queue);
  return rd_kafka_consumer_closed(own->consumer);
}

static void *run(void *opaque) {
  forwarder *own = opaque;
  while (stop_by(own) < 0) {
    rd_kafka_message_t *message = rd_kafka_consumer_poll(own->consumer, POLL_MS); /* until there is something, or an answer */
    if (message) take(own, message);
    work(own);
    look(own);
  }
  wait_for(own, NULL, stop_by(own));
  for (partition *place = own->partitions; place; place = place->next) store(own, place);
  own->looked_ms = 0;
  look(own);
  pthread_mutex_lock(&own->lock);
  rd_kafka_queue_destroy(own->queue);
  own->queue = NULL;
  pthread_mutex_unlock(&own->lock);
  bool has_left = leave(own);
  while (own->partitions) remove_partition(own, own->partitions);
  if (has_left) rd_kafka_destroy(own->consumer);
  rd_kafka_purge(own->producer, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING);
  rd_kafka_flush(own->producer, POLL_MS);
  rd_kafka_destroy(own->producer);
  pthread_mutex_lock(&own->lock);
  own->is_over = true;
  pthread_cond_broadcast(&own->changed);
  pthread_mutex_unlock(&own->lock);
  /* Without brokers librdkafka takes minutes for it, for which no host waits. */
  if (!has_left) rd_kafka_destroy_flags(own->consumer, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
  forwarder_let_go(own);
  return NULL;
}

/* ---- Its life ---- */

static rd_kafka_t *made(forwarder *own, rd_kafka_type_t type, char *message, size_t size) {
  char reason[256];
  rd_kafka_conf_t *conf = rd_kafka_conf_dup(own->options.conf);
  rd_kafka_conf_set_opaque(conf, own);
  rd_kafka_conf_set_error_cb(conf, note_error);
  if (type == RD_KAFKA_CONSUMER) {
    static const char *const ours[][2] = {{"enable.auto.commit", "true"}, {"enable.auto.offset.store", "false"},
                                          {"auto.commit.interval.ms", "500"}, {"auto.offset.reset", "earliest"},
                                          {"partition.assignment.strategy", "range,roundrobin"}};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) rd_kafka_conf_set(conf, ours[i][0], ours[i][1], NULL, 0);
    rd_kafka_conf_set(conf, "group.id", own->options.group, NULL, 0);
    rd_kafka_conf_set_rebalance_cb(conf, rebalance);
  } else {
    /* A dead letter that is there twice does no harm; a producer that is spent would. */
    rd_kafka_conf_set(conf, "enable.idempotence", "false", NULL, 0);
    rd_kafka_conf_set_dr_msg_cb(conf, buried);
  }
  rd_kafka_t *kafka = rd_kafka_new(type, conf, reason, sizeof reason);
  if (kafka) return kafka;
  rd_kafka_conf_destroy(conf);
  snprintf(message, size, "no %s of Kafka's can be made: %s", type == RD_KAFKA_CONSUMER ? "consumer" : "producer", reason);
  return NULL;
}

static bool subscribe(forwarder *own, char *message, size_t size) {
  char topics[sizeof own->options.topic], *rest = topics;
  rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
  strcpy(topics, own->options.topic);
  for (char *one; (one = strtok_r(rest, ",", &rest));) rd_kafka_topic_partition_list_add(list, one, RD_KAFKA_PARTITION_UA);
  rd_kafka_resp_err_t error = list->cnt ? rd_kafka_subscribe(own->consumer, list) : RD_KAFKA_RESP_ERR__INVALID_ARG;
  rd_kafka_topic_partition_list_destroy(list);
  if (error) snprintf(message, size, "option \"" HOIST_KAFKA_TOPIC "\": %s", rd_kafka_err2str(error));
  return !error;
}

static bool begin(forwarder *own, char *message, size_t size) {
  sigset_t all, before;
  pthread_t thread;
  own->producer = made(own, RD_KAFKA_PRODUCER, message, size);
  if (!own->producer) return false;
  own->consumer = made(own, RD_KAFKA_CONSUMER, message, size);
  if (!own->consumer) return false;
  rd_kafka_poll_set_consumer(own->consumer);
  if (!subscribe(own, message, size)) return false;
  own->queue = rd_kafka_queue_get_consumer(own->consumer);
  own->holders++;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool has_thread = pthread_create(&thread, NULL, run, own) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (has_thread) pthread_detach(thread);
  else {
    own->holders--;
    snprintf(message, size, "no thread can be started");
  }
  return has_thread;
}

hoist_status hoist_kafka_forward_start(hoist_client *client, const char *given, hoist_kafka_forwarder **place, char *message,
                                       size_t message_size) {
  char nowhere[1];
  if (!message || !message_size) message = nowhere, message_size = sizeof nowhere;
  message[0] = 0;
  if (!client || !place) return HOIST_ERR_ARGUMENT;
  *place = NULL;
  forwarder *own = calloc(1, sizeof *own);
  if (!own) return HOIST_ERR_LIMIT;
  own->client = client;
  own->stop_by_ms = -1;
  own->process = getpid();
  own->holders = 1;
  own->figures.struct_size = sizeof own->figures;
  pthread_mutex_init(&own->lock, NULL);
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&own->changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  if (options_read_forward(&own->options, given ? given : "", message, message_size) && begin(own, message, message_size)) {
    *place = own;
    return HOIST_OK;
  }
  if (own->queue) rd_kafka_queue_destroy(own->queue);
  if (own->consumer) rd_kafka_destroy(own->consumer);
  if (own->producer) rd_kafka_destroy(own->producer);
  forwarder_let_go(own);
  return HOIST_ERR_CONFIG;
}

hoist_status hoist_kafka_forward_figures(hoist_kafka_forwarder *own, hoist_kafka_figures *figures) {
  if (!own || !figures || figures->struct_size != sizeof *figures) return HOIST_ERR_ARGUMENT;
  pthread_mutex_lock(&own->lock);
  *figures = own->figures;
  pthread_mutex_unlock(&own->lock);
  return HOIST_OK;
}

hoist_status hoist_kafka_forward_stop(hoist_kafka_forwarder *own, int64_t timeout_ms, hoist_kafka_figures *last) {
  if (!own) return HOIST_ERR_ARGUMENT;
  if (own->process != getpid()) return HOIST_ERR_STATE; /* its thread is the parent's */
  pthread_mutex_lock(&own->lock);
  int64_t now = now_ms();
  own->stop_by_ms = timeout_ms < 0 || timeout_ms > INT64_MAX - now ? INT64_MAX : now + timeout_ms;
  if (own->queue) rd_kafka_queue_yield(own->queue);
  while (!own->is_over) pthread_cond_wait(&own->changed, &own->lock);
  bool is_left = own->figures.waiting > 0;
  for (answer *one = own->first_answer; one;) { /* too late: another consumer has them */
    answer *next = one->next;
    record_free(one->of);
    answer_free(one);
    one = next;
  }
  own->first_answer = own->last_answer = NULL;
  pthread_mutex_unlock(&own->lock);
  if (last) (void)hoist_kafka_forward_figures(own, last);
  forwarder_let_go(own);
  return is_left ? HOIST_ERR_TIMEOUT : HOIST_OK;
}
