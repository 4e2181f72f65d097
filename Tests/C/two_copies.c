/* Two copies of the library in one process, as two plug-ins of a host may bring them. */
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "loaded.h"

static char copy_path[] = "/tmp/libhoist-copy-XXXXXX";

static bool make_copy(void) {
  int from = open(loaded_path(), O_RDONLY | O_CLOEXEC);
  int to = mkstemp(copy_path);
  struct stat about;
  bool is_copied = from >= 0 && to >= 0 && fstat(from, &about) == 0;
  for (off_t left = is_copied ? about.st_size : 0; is_copied && left > 0;) {
    ssize_t count = sendfile(to, from, NULL, (size_t)left);
    if (count <= 0) is_copied = false;
    left -= count;
  }
  if (from >= 0) close(from);
  if (to >= 0) close(to);
  return is_copied;
}

TEST(two_copies_work_side_by_side) {
  loaded first = loaded_open(loaded_path()), second = loaded_open(copy_path);
  CHECK(first.client_open != second.client_open);
  hoist_client *one = loaded_client(&first), *other = loaded_client(&second);
  CHECK(one && other);
  CHECK(first.client_bool(one, "on", NULL, false, NULL));
  CHECK(second.client_bool(other, "on", NULL, false, NULL));
  first.client_close(one, 1000);
  first.client_free(one);
  CHECK(second.client_bool(other, "on", NULL, false, NULL));
  second.client_close(other, 1000);
  second.client_free(other);
}

TEST(no_symbol_but_the_api_is_visible) {
  loaded first = loaded_open(loaded_path());
  /* Names that a library with a Swift runtime inside would export if it were careless. */
  CHECK(dlsym(first.handle, "swift_retain") == NULL);
  CHECK(dlsym(first.handle, "shim_tls_slot") == NULL);
  CHECK(dlsym(RTLD_DEFAULT, "hoist_version") == NULL);
}

int main(void) {
  if (!make_copy()) {
    perror(copy_path);
    return 70;
  }
  /* In a child: what checks for leaks at its end names functions from the file, which has to be there still. */
  pid_t child = fork();
  if (child == 0) {
    RUN(two_copies_work_side_by_side);
    RUN(no_symbol_but_the_api_is_visible);
    return check_summary();
  }
  int status = -1;
  bool is_good = child > 0 && waitpid(child, &status, 0) == child && status == 0;
  unlink(copy_path);
  return is_good ? 0 : 1;
}
