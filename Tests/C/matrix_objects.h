/* How the matrix comes by living objects that take more than one call. */
#ifndef MATRIX_OBJECTS_H
#define MATRIX_OBJECTS_H

#include "host.h"
#include <hoist/flagship.h>
#include <hoist/kameleoon.h>
#include <hoist/launchdarkly.h>
#include <hoist/optimizely.h>
#include <hoist/unleash.h>

static inline hoist_client *closed_client(void) {
  hoist_client *client = host_client();
  (void)hoist_client_close(client, 0);
  return client;
}

static inline hoist_client *closed_launchdarkly_client(void) {
  hoist_client *client = host_launchdarkly_client();
  (void)hoist_client_close(client, 0);
  return client;
}

static inline hoist_launchdarkly_migration_tracker *some_tracker(void) {
  static hoist_client *client;
  hoist_launchdarkly_migration_tracker *tracker = NULL;
  if (!client) client = host_launchdarkly_server();
  (void)hoist_launchdarkly_migration_variation(client, "stage", NULL, HOIST_LAUNCHDARKLY_MIGRATION_OFF, &tracker);
  return tracker;
}

static inline hoist_client *closed_optimizely_client(void) {
  hoist_client *client = host_optimizely_client();
  (void)hoist_client_close(client, 0);
  return client;
}

static inline hoist_client *closed_flagship_client(void) {
  hoist_client *client = host_flagship_client();
  (void)hoist_client_close(client, 0);
  return client;
}

static inline hoist_client *closed_kameleoon_client(void) {
  hoist_client *client = host_kameleoon_client();
  (void)hoist_client_close(client, 0);
  return client;
}

static inline hoist_kameleoon_visitor *some_kameleoon_visitor(void) {
  static hoist_client *client;
  hoist_kameleoon_visitor *visitor = NULL;
  if (!client) client = host_kameleoon_client();
  (void)hoist_kameleoon_visitor_new(client, "visitor", &visitor, NULL);
  return visitor;
}

/* Without a network only a client that does as the vendor's SDK hands out a list: an empty one. */
static inline hoist_kameleoon_data_list *some_data_list(void) {
  hoist_config *config = host_kameleoon_config();
  hoist_kameleoon_visitor *visitor = NULL;
  hoist_kameleoon_data_list *list = NULL;
  hoist_client *client;
  host_set(config, "strict_vendor", "true");
  client = host_open(config);
  (void)hoist_kameleoon_visitor_new(client, "visitor", &visitor, NULL);
  (void)hoist_kameleoon_visitor_get_remote_visitor_data_wait(visitor, NULL, false, 0, &list);
  hoist_kameleoon_visitor_free(visitor);
  hoist_client_free(client);
  return list;
}

static inline hoist_kameleoon_visitor *orphaned_kameleoon_visitor(void) {
  hoist_client *client = host_kameleoon_client();
  hoist_kameleoon_visitor *visitor = NULL;
  (void)hoist_kameleoon_visitor_new(client, "visitor", &visitor, NULL);
  hoist_client_free(client);
  return visitor;
}

static inline hoist_kameleoon_variation *some_variation(void) {
  hoist_kameleoon_visitor *visitor = some_kameleoon_visitor();
  hoist_kameleoon_variation *variation = NULL;
  (void)hoist_kameleoon_visitor_variation(visitor, "on", false, &variation);
  hoist_kameleoon_visitor_free(visitor);
  return variation;
}

static inline hoist_kameleoon_variations *some_variations(void) {
  hoist_kameleoon_visitor *visitor = some_kameleoon_visitor();
  hoist_kameleoon_variations *variations = NULL;
  (void)hoist_kameleoon_visitor_variations(visitor, false, false, &variations);
  hoist_kameleoon_visitor_free(visitor);
  return variations;
}

/* Of a visitor on whom the flag's other variation is forced: everyone else's has no variables. */
static inline hoist_kameleoon_variable *some_variable(void) {
  hoist_client *client = host_kameleoon_client();
  hoist_kameleoon_visitor *visitor = NULL;
  hoist_kameleoon_variable *variable = NULL;
  (void)hoist_kameleoon_visitor_new(client, "visitor", &visitor, NULL);
  (void)hoist_kameleoon_visitor_set_forced_variation(visitor, 100, "blue", true);
  (void)hoist_kameleoon_visitor_feature_variable(visitor, "on", "color", &variable);
  hoist_kameleoon_visitor_free(visitor);
  hoist_client_free(client);
  return variable;
}

static inline hoist_flagship_visitor *some_visitor(void) {
  static hoist_client *client;
  hoist_flagship_visitor *visitor = NULL;
  if (!client) client = host_flagship_client();
  (void)hoist_flagship_visitor_new(client, NULL, &visitor, NULL);
  return visitor;
}

static inline hoist_flagship_visitor *orphaned_visitor(void) {
  hoist_client *client = host_flagship_client();
  hoist_flagship_visitor *visitor = NULL;
  (void)hoist_flagship_visitor_new(client, NULL, &visitor, NULL);
  hoist_client_free(client);
  return visitor;
}

/* Of a visitor that has flags. */
static inline hoist_flagship_visitor *visitor_with_flags(void) {
  static hoist_client *client;
  static const char exported[] =
      "{\"version\":1,\"data\":{\"visitorId\":\"v\",\"consent\":true,\"campaigns\":[{\"campaignId\":\"c\",\"variationGroupId\":"
      "\"g\",\"variationId\":\"x\",\"flags\":{\"on\":true,\"color\":\"blue\"}}]}}";
  hoist_flagship_visitor_options options;
  hoist_flagship_visitor *visitor = NULL;
  if (!client) client = host_flagship_client();
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.id = "v";
  options.has_consented = true;
  options.exported = exported;
  options.exported_length = sizeof exported - 1;
  (void)hoist_flagship_visitor_new(client, &options, &visitor, NULL);
  return visitor;
}

static inline hoist_flagship_flag *some_flag(void) {
  hoist_flagship_visitor *visitor = visitor_with_flags();
  hoist_flagship_flag *flag = hoist_flagship_visitor_flag(visitor, "on");
  hoist_flagship_visitor_free(visitor);
  return flag;
}

static inline hoist_flagship_flag *flag_of_nobody(void) {
  hoist_flagship_visitor *visitor = orphaned_visitor();
  hoist_flagship_flag *flag = hoist_flagship_visitor_flag(visitor, "on");
  hoist_flagship_visitor_free(visitor);
  return flag;
}

static inline hoist_flagship_flags *some_flags(void) {
  hoist_flagship_visitor *visitor = visitor_with_flags();
  hoist_flagship_flags *flags = hoist_flagship_visitor_flags(visitor);
  hoist_flagship_visitor_free(visitor);
  return flags;
}

static inline hoist_flagship_metadata *some_metadata(void) {
  hoist_flagship_flag *flag = some_flag();
  hoist_flagship_metadata *metadata = hoist_flagship_flag_metadata(flag);
  hoist_flagship_flag_free(flag);
  return metadata;
}

static inline hoist_flagship_metadata *empty_metadata(void) {
  hoist_flagship_flag *flag = flag_of_nobody();
  hoist_flagship_metadata *metadata = hoist_flagship_flag_metadata(flag);
  hoist_flagship_flag_free(flag);
  return metadata;
}

static inline hoist_error *some_error(void) {
  hoist_error *error = NULL;
  hoist_config *config = hoist_config_new("unleash");
  (void)hoist_config_set(config, "no such property", "", &error);
  hoist_config_free(config);
  return error;
}

static inline hoist_detail *some_detail(void) {
  hoist_client *client = host_client();
  hoist_detail *detail = NULL;
  (void)hoist_client_evaluate(client, "on", NULL, &detail);
  hoist_client_free(client);
  return detail;
}

static inline hoist_view *some_view(void) {
  hoist_client *client = host_client();
  hoist_view *view = hoist_view_new(client, NULL);
  hoist_client_free(client);
  return view;
}

static inline hoist_optimizely_user *some_user(void) {
  static hoist_client *client;
  if (!client) client = host_optimizely_client();
  return hoist_optimizely_user_new(client, "user", NULL);
}

static inline hoist_optimizely_user *orphaned_user(void) {
  hoist_client *client = host_optimizely_client();
  hoist_optimizely_user *user = hoist_optimizely_user_new(client, "", NULL);
  hoist_client_free(client);
  return user;
}

static inline hoist_optimizely_decision *some_decision(void) {
  hoist_optimizely_user *user = some_user();
  hoist_optimizely_decision *decision = hoist_optimizely_user_decide(user, "on", HOIST_OPTIMIZELY_INCLUDE_REASONS);
  hoist_optimizely_user_free(user);
  return decision;
}

static inline hoist_optimizely_decision *decision_of_nothing(void) {
  hoist_optimizely_user *user = orphaned_user();
  hoist_optimizely_decision *decision = hoist_optimizely_user_decide(user, "on", 0);
  hoist_optimizely_user_free(user);
  return decision;
}

static inline hoist_optimizely_decisions *some_decisions(void) {
  hoist_optimizely_user *user = some_user();
  hoist_optimizely_decisions *decisions = hoist_optimizely_user_decide_all(user, 0);
  hoist_optimizely_user_free(user);
  return decisions;
}

static inline hoist_unleash_variant *some_variant(void) {
  hoist_client *client = host_client();
  hoist_unleash_variant *variant = hoist_unleash_check_variant(client, "on", NULL);
  hoist_client_free(client);
  return variant;
}

static inline hoist_launchdarkly_value *some_value(void) {
  const char text[] = "{\"on\":[1,\"s\"],\"off\":null}";
  return hoist_launchdarkly_value_from_json(text, sizeof text - 1, NULL);
}

static inline hoist_launchdarkly_context *some_launchdarkly_context(void) {
  const char text[] = "{\"kind\":\"org\",\"key\":\"k\",\"a\":{\"on\":1},\"_meta\":{\"privateAttributes\":[\"/a/on\"]}}";
  return hoist_launchdarkly_context_from_json(text, sizeof text - 1, NULL);
}

static inline hoist_launchdarkly_context *several_contexts(void) {
  const char text[] = "{\"kind\":\"multi\",\"org\":{\"key\":\"k\"},\"user\":{\"key\":\"u\",\"anonymous\":true}}";
  return hoist_launchdarkly_context_from_json(text, sizeof text - 1, NULL);
}

#endif
