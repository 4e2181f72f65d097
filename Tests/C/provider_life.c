/* Provider plug-ins: replies, the end, and a new beginning. */
#include <signal.h>
#include <sys/wait.h>

#include "provider.h"

static void take_status(void *user_data, hoist_status status) {
  __atomic_store_n((int *)user_data, (int)status + 1, __ATOMIC_SEQ_CST);
}

TEST(a_reply_completes_once_and_late_ones_are_harmless) {
  service own;
  service_begin(&own);
  own.keeps_replies = true;
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  hoist_context *first = hoist_context_new("first"), *second = hoist_context_new("second");
  int told[2] = {0, 0};
  CHECK_INT(hoist_client_identify(client, first, take_status, &told[0]), HOIST_OK);
  CHECK(eventually(&own.identified, 1));
  hoist_provider_reply *older = READ(own.reply);
  CHECK_INT(hoist_client_identify(client, second, take_status, &told[1]), HOIST_OK);
  CHECK(eventually(&told[0], 1));
  CHECK_INT(told[0] - 1, HOIST_ERR_SUPERSEDED);
  CHECK(eventually(&own.identified, 2));
  hoist_provider_reply_complete(older, HOIST_ERR_NETWORK);
  hoist_provider_reply *newer = READ(own.reply);
  hoist_provider_reply_complete(newer, HOIST_OK);
  hoist_provider_reply_complete(newer, HOIST_ERR_NETWORK);
  hoist_provider_reply_complete(NULL, HOIST_OK);
  CHECK(eventually(&told[1], 1));
  CHECK_INT(told[1] - 1, HOIST_OK);
  CHECK_INT(told[0] - 1, HOIST_ERR_SUPERSEDED);

  /* Nobody completes it: the caller's patience ends, not the client's life. */
  CHECK_INT(hoist_client_flush(client, 50), HOIST_ERR_TIMEOUT);
  hoist_provider_reply *unfinished = READ(own.reply);
  CHECK_INT(hoist_client_close(client, 200), HOIST_ERR_TIMEOUT);
  hoist_context_free(first);
  hoist_context_free(second);
  CHECK(ends_well(&own, client));
  hoist_provider_reply_complete(unfinished, HOIST_OK);
}

TEST(a_closed_client_starts_again_with_its_instance) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  for (int round = 1; round <= 3; round++) {
    CHECK(hoist_client_bool(client, "on", NULL, false, NULL));
    CHECK_INT(hoist_client_close(client, 20000), HOIST_OK);
    CHECK_INT(own.stopped, round);
    CHECK_INT(publish_some(&own), HOIST_ERR_STATE);
    CHECK_INT(hoist_provider_host_record(own.host, "events", "", "raw", 3), HOIST_ERR_STATE);
    CHECK(!hoist_client_bool(client, "on", NULL, false, NULL));
    CHECK_INT(hoist_client_reopen(client, NULL), HOIST_OK);
    CHECK(eventually(&own.started, round + 1));
  }
  CHECK_INT(own.created, 1);
  CHECK(ends_well(&own, client));
}

TEST(several_clients_have_an_instance_each) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  CHECK_INT(hoist_provider_register(&table, NULL), HOIST_OK);
  hoist_config *config = own_config(&own);
  hoist_client *clients[8];
  for (int index = 0; index < 8; index++) CHECK_INT(hoist_client_open(config, &clients[index], NULL), HOIST_OK);
  hoist_config_free(config);
  CHECK_INT(hoist_provider_unregister("own", NULL), HOIST_OK);
  CHECK(eventually(&own.started, 8));
  /* The handle of the last one serves that one alone. */
  CHECK(hoist_client_bool(clients[7], "on", NULL, false, NULL));
  for (int index = 0; index < 8; index++) {
    CHECK_INT(own.released, 0);
    hoist_client_free(clients[index]);
  }
  CHECK(eventually(&own.released, 1));
  CHECK_INT(own.destroyed, 8);
}

/* G4, G11: a member that does not return keeps nobody but itself. */
TEST(a_stuck_member_holds_up_neither_evaluations_nor_the_end) {
  service own;
  service_begin(&own);
  own.sticks_in_refresh = true;
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  CHECK_INT(hoist_client_refresh(client), HOIST_OK);
  CHECK(eventually(&own.refreshed, 1));
  CHECK(hoist_client_bool(client, "on", NULL, false, NULL));
  CHECK_INT(hoist_client_int64(client, "size", NULL, 7, NULL), 10);
  CHECK_INT(hoist_client_identify_wait(client, NULL, 50), HOIST_ERR_TIMEOUT);
  CHECK_INT(track(client, "buy", "u"), HOIST_OK);
  CHECK_INT(hoist_client_close(client, 300), HOIST_ERR_TIMEOUT);
  hoist_client_free(client);
  CHECK_INT(own.destroyed, 0);
  CHECK_INT(publish_some(&own), HOIST_ERR_STATE);
  __atomic_store_n(&own.is_gate_open, true, __ATOMIC_SEQ_CST);
  CHECK(eventually(&own.released, 1));
  CHECK_INT(own.destroyed, 1);
  CHECK_INT(own.stopped, 0);
  CHECK_INT(own.identified, 0); /* after the end no call begins */
  CHECK_INT(own.overlaps, 0);
}

/* G9: the child has the parent's flags, and its own instance of everything that runs. */
TEST(a_forked_child_goes_on) {
  service own;
  service_begin(&own);
  hoist_provider table = table_of(&own);
  hoist_client *client = own_client(&table);
  CHECK_INT(track(client, "parent", "u"), HOIST_OK);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    bool is_good = hoist_client_bool(client, "on", NULL, false, NULL) &&
                   hoist_client_int64(client, "size", NULL, 7, NULL) == 10 && eventually(&own.started, 2) && own.forked == 1;
    is_good = is_good && track(client, "child", "u") == HOIST_OK && hoist_client_flush(client, 20000) == HOIST_OK;
    is_good = is_good && own.sent_rows == 1 && hoist_client_close(client, 20000) == HOIST_OK;
    hoist_client_free(client);
    is_good = is_good && eventually(&own.released, 1) && own.destroyed == 1;
    _exit(is_good ? 0 : 1);
  }
  int status = 0;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK_INT(status, 0);
  CHECK_INT(hoist_client_flush(client, 20000), HOIST_OK);
  CHECK_INT(own.sent_rows, 1);
  CHECK_INT(own.forked, 0);
  CHECK(ends_well(&own, client));
}

int main(void) {
  RUN(a_reply_completes_once_and_late_ones_are_harmless);
  RUN(a_closed_client_starts_again_with_its_instance);
  RUN(several_clients_have_an_instance_each);
  RUN(a_stuck_member_holds_up_neither_evaluations_nor_the_end);
  RUN(a_forked_child_goes_on);
  return check_summary();
}
