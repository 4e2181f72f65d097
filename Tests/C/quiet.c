/* G6: the library leaves the process as it found it. */
#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "host.h"

extern char **environ;

/* Opens a client whose service is away, uses it, and lets it meet the refused connection. */
static bool use_a_client(void) {
  hoist_client *client = host_client();
  hoist_context *context = hoist_context_new("user");
  bool value = hoist_client_bool(client, "on", context, false, NULL);
  (void)hoist_client_track(client, "purchase", context, NULL);
  struct timespec pause = {0, 100 * 1000 * 1000};
  nanosleep(&pause, NULL);
  (void)hoist_client_flush(client, 100);
  (void)hoist_client_close(client, 500);
  hoist_client_free(client);
  hoist_context_free(context);
  return value;
}

/* All of the environment in one text, to be freed. */
static char *environment_text(void) {
  size_t size = 1;
  for (char **entry = environ; *entry; entry++) size += strlen(*entry) + 1;
  char *text = (char *)malloc(size);
  if (!text) exit(70);
  char *end = text;
  for (char **entry = environ; *entry; entry++) {
    size_t length = strlen(*entry);
    memcpy(end, *entry, length);
    end += length;
    *end++ = '\n';
  }
  *end = 0;
  return text;
}

TEST(nothing_is_printed) {
  FILE *printed = tmpfile();
  CHECK(printed != NULL);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    dup2(fileno(printed), 1);
    dup2(fileno(printed), 2);
    _exit(use_a_client() ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  CHECK_INT(status, 0);
  struct stat about;
  CHECK_INT(fstat(fileno(printed), &about), 0);
  CHECK_INT(about.st_size, 0);
  fclose(printed);
}

TEST(environment_locale_umask_and_folder_stay) {
  setlocale(LC_ALL, "C.UTF-8");
  char locale[200], folder_before[4096], folder_after[4096], name_before[17] = "", name_after[17] = "";
  snprintf(locale, sizeof locale, "%s", setlocale(LC_ALL, NULL));
  umask(027);
  prctl(PR_SET_NAME, "quiet-host");
  prctl(PR_GET_NAME, name_before);
  CHECK(getcwd(folder_before, sizeof folder_before) != NULL);
  char *before = environment_text();
  CHECK(use_a_client());
  char *after = environment_text();
  bool is_same = strcmp(before, after) == 0;
  free(before);
  free(after);
  CHECK(is_same);
  CHECK_TEXT(setlocale(LC_ALL, NULL), locale);
  CHECK_INT(umask(022), 027);
  CHECK(getcwd(folder_after, sizeof folder_after) != NULL);
  CHECK_TEXT(folder_after, folder_before);
  prctl(PR_GET_NAME, name_after);
  CHECK_TEXT(name_after, name_before);
}

enum { DESCRIPTORS = 1024 };

/* Counts the open descriptors; those beyond `known` that a child would inherit go to `inherited`. */
static int open_descriptors(const bool *known, bool *seen, int *inherited) {
  int count = 0;
  if (inherited) *inherited = -1;
  for (int descriptor = 0; descriptor < DESCRIPTORS; descriptor++) {
    int flags = fcntl(descriptor, F_GETFD);
    if (seen) seen[descriptor] = flags >= 0;
    if (flags < 0) continue;
    count++;
    if (inherited && !(known && known[descriptor]) && !(flags & FD_CLOEXEC)) *inherited = descriptor;
  }
  return count;
}

TEST(descriptors_are_closed_in_programs_that_the_host_starts) {
  bool known[DESCRIPTORS];
  int inherited = -1;
  open_descriptors(NULL, known, NULL);
  hoist_client *client = host_client();
  for (int round = 0; round < 20 && inherited < 0; round++) {
    struct timespec pause = {0, 10 * 1000 * 1000};
    nanosleep(&pause, NULL);
    (void)hoist_client_refresh(client);
    open_descriptors(known, NULL, &inherited);
  }
  (void)hoist_client_close(client, 500);
  hoist_client_free(client);
  if (inherited >= 0) {
    char link[64], target[256] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", inherited);
    ssize_t length = readlink(link, target, sizeof target - 1);
    printf("#   descriptor %d is %s\n", inherited, length > 0 ? target : "gone");
  }
  CHECK_INT(inherited, -1);
}

TEST(clients_leave_no_descriptor_behind) {
  CHECK(use_a_client());
  int before = open_descriptors(NULL, NULL, NULL);
  for (int round = 0; round < 20; round++) hoist_client_free(host_client());
  /* Connections of the last clients may take a moment to be given up. */
  int after = before + 1;
  for (int attempt = 0; attempt < 100 && after > before; attempt++) {
    after = open_descriptors(NULL, NULL, NULL);
    struct timespec pause = {0, 10 * 1000 * 1000};
    nanosleep(&pause, NULL);
  }
  CHECK(after <= before);
}

TEST(a_client_without_a_store_writes_no_file) {
  char folder[] = "/tmp/hoist-quiet-XXXXXX";
  CHECK(mkdtemp(folder) != NULL);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    setenv("HOME", folder, 1);
    setenv("TMPDIR", folder, 1);
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("XDG_CONFIG_HOME", folder, 1);
    if (chdir(folder) != 0) _exit(2);
    _exit(use_a_client() ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  CHECK_INT(status, 0);
  CHECK_INT(rmdir(folder), 0); /* fails when anything is in it */
}

int main(void) {
  /* These two fork, and are first: a child that inherits a client cannot clean up after its parent's threads. */
  RUN(nothing_is_printed);
  RUN(a_client_without_a_store_writes_no_file);
  RUN(environment_locale_umask_and_folder_stay);
  RUN(descriptors_are_closed_in_programs_that_the_host_starts);
  RUN(clients_leave_no_descriptor_behind);
  return check_summary();
}
