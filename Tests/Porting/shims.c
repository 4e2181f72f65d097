/* The shims by themselves, against known values, for processors and C libraries that there is no Swift at hand for. Linked
 * as in the library, where the runtime's locks pass the gate. */
#define _GNU_SOURCE
#include "CShims.h"
#include "check.h"
#include "shim_private.h"
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 20000, FORKS = 20 };

/* In that many threads at once. */
static void together(void *(*body)(void *)) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, body, NULL);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

/* What the child answers by its exit status. */
static int in_child(int (*body)(void)) {
  pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(blocks_are_hashed_by_processors_that_can) {
#ifdef __x86_64__
  if (!shim_sha_is_fast()) SKIP("this one has no instructions for it");
  unsigned char block[64] = "abc\x80";
  block[63] = 24;
  uint32_t sha256[8] = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
  const uint32_t sha256_abc[8] = {0xBA7816BF, 0x8F01CFEA, 0x414140DE, 0x5DAE2223, 0xB00361A3, 0x96177A9C, 0xB410FF61, 0xF20015AD};
  shim_sha256_block(sha256, block);
  CHECK(memcmp(sha256, sha256_abc, sizeof sha256) == 0);
  uint32_t sha1[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  const uint32_t sha1_abc[5] = {0xA9993E36, 0x4706816A, 0xBA3E2571, 0x7850C26C, 0x9CD0D89D};
  shim_sha1_block(sha1, block);
  CHECK(memcmp(sha1, sha1_abc, sizeof sha1) == 0);
#else
  CHECK(!shim_sha_is_fast()); /* Swift hashes */
#endif
}

TEST(bytes_are_found) {
  const char text[] = "one\0two\0two";
  CHECK(shim_find(text, sizeof text, "two", 3) == text + 4);
  CHECK(shim_find(text, 6, "two", 3) == NULL);
}

/* Below and beyond the size from which they are pages of their own, and across it. */
TEST(blocks_keep_what_they_hold_when_they_grow_and_shrink) {
  const size_t sizes[] = {64, 100000, (256 << 10) - 1, 256 << 10, 5 << 20, (5 << 20) + 1, 300001, 4096, 1 << 20};
  size_t size = 0;
  unsigned char *block = NULL;
  bool is_kept = true;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    block = shim_pages_resize(block, size, sizes[i]);
    CHECK(block != NULL);
    if (!block) return;
    size_t held = size < sizes[i] ? size : sizes[i];
    for (size_t at = 0; at < held; at += 61) is_kept = is_kept && block[at] == at % 251;
    size = sizes[i];
    for (size_t at = 0; at < size; at++) block[at] = at % 251;
  }
  CHECK(is_kept);
  CHECK(shim_pages_resize(block, size, SIZE_MAX / 2) == NULL);
  CHECK(block[size - 1] == (size - 1) % 251);
  shim_pages_free(block, size);
  shim_pages_free(NULL, size);
}

static int64_t shared_count;
static void *add(void *unused) {
  for (int i = 0; i < ROUNDS; i++) shim_add_i64(&shared_count, 1);
  return unused;
}

TEST(atomics_lose_nothing) {
  together(add);
  CHECK_INT(shim_load_i64(&shared_count), THREADS * ROUNDS);
  CHECK(!shim_replace_i64(&shared_count, 0, 7));
  CHECK(shim_replace_i64(&shared_count, THREADS * ROUNDS, 7));
  CHECK_INT(shim_add_i64(&shared_count, -3), 7);
  uint32_t bits = 0xF0;
  shim_or_u32(&bits, 0x0F);
  shim_and_u32(&bits, 0x3C);
  CHECK_INT(shim_load_u32(&bits), 0x3C);
  void *place = &bits;
  CHECK(shim_exchange_pointer(&place, NULL) == &bits && shim_load_pointer(&place) == NULL);
}

static shim_lock *lock;
static shim_condition *condition;
static uint32_t word;
static int under_lock, under_word;

/* Adds one, and now and then gives its turn away in the midst of it. */
static void add_slowly(volatile int *count, int round) {
  int before = *count;
  if (round % 64 == 0) sched_yield();
  *count = before + 1;
}

static void *count_under_locks(void *unused) {
  for (int i = 0; i < ROUNDS; i++) {
    shim_lock_lock(lock);
    add_slowly(&under_lock, i);
    shim_lock_unlock(lock);
    shim_inline_lock(&word);
    add_slowly(&under_word, i);
    shim_inline_unlock(&word);
  }
  return unused;
}

static bool was_free;
static void *try_lock(void *unused) {
  was_free = shim_lock_try(lock) || shim_lock_lock_until(lock, 1);
  return unused;
}

TEST(locks_keep_others_out) {
  uint32_t before = shim_lock_count();
  lock = shim_lock_new();
  together(count_under_locks);
  CHECK_INT(under_lock, THREADS * ROUNDS);
  CHECK_INT(under_word, THREADS * ROUNDS);
  CHECK_INT(word, 0);
  pthread_t other;
  shim_lock_lock(lock);
  pthread_create(&other, NULL, try_lock, NULL);
  pthread_join(other, NULL);
  shim_lock_unlock(lock);
  CHECK(!was_free);
  CHECK_INT(shim_lock_count(), before + 1);
  shim_lock_free(lock);
  CHECK_INT(shim_lock_count(), before);
}

static bool is_due;
static void *make_due(void *unused) {
  shim_lock_lock(lock);
  is_due = true;
  shim_condition_broadcast(condition);
  shim_lock_unlock(lock);
  return unused;
}

TEST(conditions_wake_and_end_at_their_deadline) {
  lock = shim_lock_new();
  condition = shim_condition_new();
  pthread_t other;
  shim_lock_lock(lock);
  CHECK(!shim_condition_wait(condition, lock, 1)); /* long past on the monotonic clock */
  pthread_create(&other, NULL, make_due, NULL);
  while (!is_due) shim_condition_wait(condition, lock, INT64_MAX);
  shim_lock_unlock(lock);
  pthread_join(other, NULL);
  shim_condition_free(condition);
  shim_lock_free(lock);
}

TEST(a_block_is_held_while_it_is_read) {
  shim_slot *slot = shim_enter();
  CHECK(shim_enter() == slot); /* sections nest */
  uint64_t epoch = shim_epoch_advance();
  shim_leave(slot);
  CHECK(!shim_epoch_quiescent(epoch));
  shim_leave(slot);
  CHECK(shim_epoch_quiescent(epoch));
}

static shim_cells *cells;
static void *count_in_cells(void *unused) {
  shim_slot *slot = shim_enter();
  for (int i = 0; i < ROUNDS; i++) shim_count(slot, 9, &cells, 3, 2);
  shim_count(slot, 9, &cells, 3, 3); /* beyond the last */
  shim_leave(slot);
  return unused;
}

TEST(counters_of_threads_add_up) {
  together(count_in_cells);
  uint32_t sum = 0, others = 0;
  for (shim_cells *block = shim_cells_first(&cells); block; block = block->next) {
    sum += shim_cells_take(block, 2);
    others += shim_cells_take(block, 0) + shim_cells_take(block, 1) + shim_cells_take(block, 2);
  }
  CHECK_INT(sum, THREADS * ROUNDS);
  CHECK_INT(others, 0);
  shim_cells_free(cells);
}

TEST(draws_are_those_of_the_generator) {
  shim_slot slot;
  memset(&slot, 0, sizeof slot);
  CHECK(shim_random(&slot) == 0xE220A8397B1DCDAFu); /* SplitMix64 from 0 */
  CHECK(shim_random(&slot) == 0x6E789E6AA1B965F4u);
}

static shim_hot *hot;
static uint64_t parents_draw;
static int is_a_child(void) {
  bool knows = shim_fork_generation() == 1 && (shim_load_u32(&hot->gate) & SHIM_GATE_FORKED) != 0;
  return knows && shim_random(shim_tls_slot) != parents_draw ? 7 : 1;
}

TEST(a_child_knows_that_it_is_one) {
  hot = shim_hot_new(1, NULL);
  shim_slot *slot = shim_enter();
  shim_leave(slot);
  shim_slot copy = *slot;
  parents_draw = shim_random(&copy);
  CHECK_INT(in_child(is_a_child), 7);
  CHECK_INT(shim_fork_generation(), 0);
  CHECK_INT(hot->gate, 0);
  shim_hot_free(hot);
}

static uint32_t is_over;
static void *lock_until_over(void *unused) {
  while (!shim_load_u32(&is_over)) count_under_locks(NULL);
  return unused;
}

static int takes_locks(void) {
  shim_lock_lock(lock);
  shim_lock_unlock(lock);
  shim_inline_lock(&word);
  shim_inline_unlock(&word);
  return 7;
}

TEST(no_lock_is_held_in_a_child) {
  lock = shim_lock_new();
  pthread_t others[2];
  for (int i = 0; i < 2; i++) pthread_create(&others[i], NULL, lock_until_over, NULL);
  int good = 0;
  for (int i = 0; i < FORKS; i++) good += in_child(takes_locks) == 7;
  shim_store_u32(&is_over, 1);
  for (int i = 0; i < 2; i++) pthread_join(others[i], NULL);
  shim_lock_free(lock);
  CHECK_INT(good, FORKS);
}

TEST(locks_that_are_not_ours_pass_the_gate) {
  pthread_mutex_t foreign = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&foreign);
  CHECK_INT(shim_gate_inside(), 1);
  pthread_mutex_unlock(&foreign);
  CHECK_INT(shim_gate_inside(), 0);
  shim_gate_enter();
  shim_gate_enter();
  shim_gate_leave();
  CHECK_INT(shim_gate_inside(), 1);
  shim_gate_leave();
  CHECK(shim_gate_close(0) && shim_gate_is_closed());
  shim_gate_open();
}

void __wrap__ZN5swift14threading_impl9once_slowERNS0_6once_tEPFvPvES3_(void *, void (*)(void *), void *);

static struct {
  int32_t flag;
  uint32_t lock;
} once;
static void count_once(void *count) { ++*(int *)count; }
static int ran;
static void *do_once(void *unused) {
  __wrap__ZN5swift14threading_impl9once_slowERNS0_6once_tEPFvPvES3_(&once, count_once, &ran);
  return unused;
}

TEST(what_is_done_once_is_done_once) {
  together(do_once);
  CHECK_INT(ran, 1);
  CHECK(once.flag < 0);
}

static struct {
  int ends[2];
  char name[16];
  sigset_t blocked;
  bool is_own, admitted, admits, excludes;
  size_t stack;
} started;

static void run(void *argument) {
  pthread_getname_np(pthread_self(), started.name, sizeof started.name);
  pthread_sigmask(SIG_BLOCK, NULL, &started.blocked);
  started.is_own = shim_thread_is_own();
  started.admitted = shim_thread_admits_host();
  shim_thread_admit_host();
  started.admits = shim_thread_admits_host();
  shim_thread_exclude_host();
  started.excludes = !shim_thread_admits_host();
  shim_thread_end_exclusion();
  started.stack = shim_thread_stack_left();
  (void)!write(started.ends[1], argument, 1);
}

TEST(threads_of_our_own_have_a_name_and_hear_no_signal) {
  CHECK(pipe(started.ends) == 0);
  CHECK_INT(shim_thread_start("hoist-porting-too-long", 512 << 10, run, started.ends), 0);
  char byte;
  CHECK_INT(read(started.ends[0], &byte, 1), 1);
  CHECK_TEXT(started.name, "hoist-porting-t");
  CHECK(sigismember(&started.blocked, SIGTERM) == 1 && sigismember(&started.blocked, SIGPROF) == 1);
  CHECK(started.is_own && !started.admitted && started.admits && started.excludes);
  CHECK(started.stack > 256 << 10 && started.stack <= 512 << 10);
  CHECK(!shim_thread_is_own() && shim_thread_admits_host());
}

static int ready(int descriptor) {
  struct pollfd asked = {.fd = descriptor, .events = POLLIN};
  return poll(&asked, 1, 0);
}

TEST(events_wake_who_polls) {
  int event = shim_event_new();
  CHECK(event >= 0 && ready(event) == 0);
  shim_event_set(event);
  CHECK_INT(ready(event), 1);
  shim_event_clear(event);
  CHECK_INT(ready(event), 0);
  shim_event_set(event);
  shim_event_renew(event);
  CHECK_INT(ready(event), 0);
  shim_event_free(event);
}

TEST(the_environment_and_disks_are_read) {
  setenv("HOIST_PORTING", "yes", 1);
  CHECK_TEXT(shim_environment("HOIST_PORTING"), "yes");
  CHECK(shim_environment("HOIST_PORTING_NOT") == NULL);
  CHECK(shim_is_local_kind(0xEF53) && !shim_is_local_kind(0x6969) && !shim_is_local("/no/such/folder"));
}

int main(void) {
  RUN(blocks_are_hashed_by_processors_that_can);
  RUN(bytes_are_found);
  RUN(blocks_keep_what_they_hold_when_they_grow_and_shrink);
  RUN(atomics_lose_nothing);
  RUN(locks_keep_others_out);
  RUN(conditions_wake_and_end_at_their_deadline);
  RUN(a_block_is_held_while_it_is_read);
  RUN(counters_of_threads_add_up);
  RUN(draws_are_those_of_the_generator);
  RUN(a_child_knows_that_it_is_one);
  RUN(no_lock_is_held_in_a_child);
  RUN(locks_that_are_not_ours_pass_the_gate);
  RUN(what_is_done_once_is_done_once);
  RUN(threads_of_our_own_have_a_name_and_hear_no_signal);
  RUN(events_wake_who_polls);
  RUN(the_environment_and_disks_are_read);
  return check_summary();
}
