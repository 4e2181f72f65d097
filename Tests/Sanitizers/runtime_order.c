// What Swift's runtime orders, told to the thread sanitizer.
//
// The runtime is not instrumented: the sanitizer does not see that counting references and first-use initialisers order
// threads, and reports an array that one thread read, let go of, and another, now its only owner, changes in place. The
// linker puts these functions in front of the runtime's own (`--wrap`), in the sanitized library alone.
//
// Letting go is told as both, a release and an acquire, as std::shared_ptr does it: who lets go last may destroy, and
// cannot know beforehand that it will be the last. Objects that live for ever are left out, as they would order
// every thread with every other.
#include <stdbool.h>
#include <stdint.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

typedef struct object {
  const void *metadata;
  uint64_t counts;
} object;

/// Nothing, a number in a pointer's place, or an object that is never destroyed.
static bool is_uncounted(const object *object) {
  return (intptr_t)object <= 0 || (uint32_t)__atomic_load_n(&object->counts, __ATOMIC_RELAXED) == UINT32_MAX;
}

static void tell_letting_go(object *object) {
  if (is_uncounted(object)) return;
  __tsan_release(object);
  __tsan_acquire(object);
}

void __real_swift_release(object *object);
void __wrap_swift_release(object *object) {
  tell_letting_go(object);
  __real_swift_release(object);
}

void __real_swift_release_n(object *object, uint32_t count);
void __wrap_swift_release_n(object *object, uint32_t count) {
  tell_letting_go(object);
  __real_swift_release_n(object, count);
}

bool __real_swift_isUniquelyReferenced_nonNull_native(object *object);
bool __wrap_swift_isUniquelyReferenced_nonNull_native(object *object) {
  bool is_unique = __real_swift_isUniquelyReferenced_nonNull_native(object);
  if (is_unique) __tsan_acquire(object);
  return is_unique;
}

bool __real_swift_isUniquelyReferenced_native(object *object);
bool __wrap_swift_isUniquelyReferenced_native(object *object) {
  bool is_unique = __real_swift_isUniquelyReferenced_native(object);
  if (is_unique) __tsan_acquire(object);
  return is_unique;
}

/// Bits of a bridged reference that are no part of the address.
enum { BRIDGE_BITS_LOW = 6 };
static const uintptr_t bridge_bits = ((uintptr_t)0x7f << 56) | BRIDGE_BITS_LOW;

bool __real_swift_isUniquelyReferenced_nonNull_bridgeObject(uintptr_t reference);
bool __wrap_swift_isUniquelyReferenced_nonNull_bridgeObject(uintptr_t reference) {
  bool is_unique = __real_swift_isUniquelyReferenced_nonNull_bridgeObject(reference);
  if (is_unique) __tsan_acquire((void *)(reference & ~bridge_bits));
  return is_unique;
}

typedef struct first_use {
  void (*initialise)(void *context);
  void *context;
  void *once;
} first_use;

static void initialise_first(void *context) {
  first_use *use = context;
  use->initialise(use->context);
  __tsan_release(use->once);
}

void __real_swift_once(void *once, void (*initialise)(void *), void *context);
void __wrap_swift_once(void *once, void (*initialise)(void *), void *context) {
  first_use use = {initialise, context, once};
  __real_swift_once(once, initialise_first, &use);
  __tsan_acquire(once);
}
