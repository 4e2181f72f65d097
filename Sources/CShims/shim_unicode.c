/* Linked as the target of --wrap=_swift_stdlib_getScalarName in the shared library.
 *
 * The Swift standard library can tell the name of every Unicode scalar ("LATIN SMALL LETTER A"),
 * and keeps half a megabyte of tables for it. Nothing here asks for names: without a caller the
 * linker leaves the tables out. */
#include <stdint.h>

intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity) {
  (void)scalar;
  (void)buffer;
  (void)capacity;
  return 0;
}
