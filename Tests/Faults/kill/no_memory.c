/* Preloaded: memory runs out at random for the C libraries that Hoist stands on, and for what Hoist itself asks for with a
 * check. Swift's own memory is always there: where that lacks, the process ends. MEMORY_SEED is where chance begins. */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

enum { MOST_RANGES = 64 };
static struct { uintptr_t from, to; } weak[MOST_RANGES];
static int ranges, first_of_hoist;
static atomic_int one_in;
static atomic_uint_fast64_t chance;

static int note(struct dl_phdr_info *info, size_t size, void *only) {
  (void)size;
  if (!strstr(info->dlpi_name, only)) return 0;
  for (int part = 0; part < info->dlpi_phnum && ranges < MOST_RANGES; part++) {
    if (info->dlpi_phdr[part].p_type != PT_LOAD) continue;
    weak[ranges].from = info->dlpi_addr + info->dlpi_phdr[part].p_vaddr;
    weak[ranges].to = weak[ranges].from + info->dlpi_phdr[part].p_memsz;
    ranges++;
  }
  return 0;
}

__attribute__((constructor)) static void begin(void) {
  static char libraries[][16] = {"libsqlite3", "libcurl", "libjansson", "libz."};
  for (size_t place = 0; place < sizeof libraries / sizeof *libraries; place++) dl_iterate_phdr(note, libraries[place]);
  first_of_hoist = ranges;
  static char own[] = "libhoist";
  dl_iterate_phdr(note, own);
  const char *seed = getenv("MEMORY_SEED");
  chance = 0x9E3779B97F4A7C15u * (seed ? strtoul(seed, NULL, 10) + 1 : 1);
}

void memory_fails(int how_often) { one_in = how_often; }

static int fails(void *caller, int places) {
  int often = one_in;
  if (often == 0) return 0;
  uintptr_t place = (uintptr_t)caller;
  int found = 0;
  for (int range = 0; range < places && !found; range++) found = place >= weak[range].from && place < weak[range].to;
  if (!found) return 0;
  uint64_t next = atomic_fetch_add(&chance, 0x9E3779B97F4A7C15u);
  next = (next ^ next >> 30) * 0xBF58476D1CE4E5B9u;
  next = (next ^ next >> 27) * 0x94D049BB133111EBu;
  if ((next >> 32) % (unsigned)often != 0) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return fails(__builtin_return_address(0), first_of_hoist) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) {
  return fails(__builtin_return_address(0), first_of_hoist) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) { return fails(__builtin_return_address(0), ranges) ? NULL : __libc_realloc(old, size); }
