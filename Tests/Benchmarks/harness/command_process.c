#include "commands.h"
#include "flipt_library.h"
#include "hoist_library.h"
#include "yggdrasil_library.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* W10 and W11: one engine in a process of its own, from before its library is loaded. */

static void load_engine(const options *given, size_t flag_count, char *document)
{
    const libraries *where = &given->where;
    if (!strcmp(given->subject, "hoist")) hoist_open_file(hoist_load(where->hoist), given->folder);
    else if (!strcmp(given->subject, "hoist, rules")) hoist_open_rules_file(hoist_load(where->hoist), given->folder);
    else if (!strcmp(given->subject, "yggdrasil")) yggdrasil_engine_new(yggdrasil_load(where->yggdrasil), document);
    else if (!strcmp(given->subject, "flipt")) flipt_engine_new(flipt_load(where->flipt), where->url, flag_count);
    else die("no engine %s", given->subject);
}

/** Private bytes of the process: all of them, and those that are not just pages of files in memory. */
typedef struct { double all, dirty; } private_bytes;

static private_bytes measure_private(void)
{
    malloc_trim(0);
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    if (!file) die("no /proc/self/smaps_rollup");
    char line[256];
    private_bytes bytes = {0, 0};
    double kilobytes;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "Private_Clean: %lf", &kilobytes) == 1) bytes.all += kilobytes * 1024;
        if (sscanf(line, "Private_Dirty: %lf", &kilobytes) == 1) bytes.all += kilobytes * 1024, bytes.dirty += kilobytes * 1024;
    }
    fclose(file);
    return bytes;
}

static size_t flag_count_of(const options *given) { return strtoul(strrchr(given->folder, '-') + 1, NULL, 10); }

static void begin_report(const options *given, const char *type, const char *workload, size_t flag_count)
{
    record_begin(type);
    record_text("workload", workload);
    record_text("subject", given->subject);
    record_number("size", (double)flag_count);
}

int command_memory(const options *given)
{
    size_t flag_count = flag_count_of(given);
    free(read_file(given->folder, "unleash.json", NULL)); /* what reading a file allocates belongs to nobody */
    private_bytes before = measure_private();
    char *document = read_file(given->folder, "unleash.json", NULL);
    load_engine(given, flag_count, document);
    free(document);
    private_bytes after = measure_private();
    begin_report(given, "memory", "W10", flag_count);
    record_number("bytes", after.all - before.all);
    record_number("dirty", after.dirty - before.dirty);
    record_end();
    return 0;
}

int command_start(const options *given)
{
    size_t flag_count = flag_count_of(given);
    char *document = read_file(given->folder, "unleash.json", NULL);
    double wall_before = wall_ns(), cpu_before = process_cpu_ns();
    load_engine(given, flag_count, document);
    double cpu_took = process_cpu_ns() - cpu_before, wall_took = wall_ns() - wall_before;
    begin_report(given, "start", "W11", flag_count);
    record_number("ms", wall_took / 1e6);
    record_number("cpu_ms", cpu_took / 1e6);
    record_end();
    return 0;
}
