#include "flagship_visitors.h"

#include <stdlib.h>

hoist_context *flagship_context(const hoist_library *api, const user *who)
{
    hoist_context *context = api->hoist_context_new(who->id);
    api->hoist_context_set_string(context, "country", who->country);
    api->hoist_context_set_string(context, "plan", who->plan);
    api->hoist_context_set_int64(context, "age", atoi(who->age));
    return context;
}

hoist_flagship_visitor *flagship_visitor(
    const hoist_library *api, hoist_client *client, const char *id, const hoist_context *context)
{
    hoist_flagship_visitor_options options = {
        .struct_size = sizeof options, .id = id, .has_consented = true,
        .instance = HOIST_FLAGSHIP_NEW_INSTANCE, .context = context};
    hoist_flagship_visitor *visitor = NULL;
    hoist_status status = api->hoist_flagship_visitor_new(client, &options, &visitor, NULL);
    if (status != HOIST_OK) die("Flagship: no visitor: %s", api->hoist_status_name(status));
    return visitor;
}

void flagship_report(const char *workload_name, const char *what, size_t size, const sample *nanoseconds)
{
    record_case("flagship", workload_name, "Hoist, C", what, size, nanoseconds);
}
