/* dlclose() while threads of the library run: its code stays, and loading it again is the same library. */
#include "check.h"
#include "loaded.h"

TEST(a_client_lives_on_behind_dlclose) {
  loaded library = loaded_open(loaded_path());
  hoist_client *client = loaded_client(&library);
  CHECK(client != NULL);
  CHECK_INT(dlclose(library.handle), 0);
  CHECK(library.client_bool(client, "on", NULL, false, NULL));
  library.client_close(client, 1000);
  library.client_free(client);
}

TEST(loading_again_finds_the_same_library) {
  loaded first = loaded_open(loaded_path());
  CHECK(loaded_use(&first));
  CHECK_INT(dlclose(first.handle), 0);
  loaded second = loaded_open(loaded_path());
  CHECK(second.client_open == first.client_open);
  CHECK(loaded_use(&second));
  CHECK_INT(dlclose(second.handle), 0);
}

int main(void) {
  RUN(a_client_lives_on_behind_dlclose);
  RUN(loading_again_finds_the_same_library);
  return check_summary();
}
