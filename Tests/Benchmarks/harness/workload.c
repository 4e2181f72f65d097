#include "workload.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const kind_names[KIND_COUNT] = {"bool", "rule", "vari", "mix"};

void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("harness: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

char *read_file(const char *folder, const char *name, size_t *size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name);
    FILE *file = fopen(path, "rb");
    if (!file) die("cannot read %s", path);
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    char *text = malloc((size_t)length + 1);
    if (!text || fread(text, 1, (size_t)length, file) != (size_t)length) die("cannot read %s", path);
    fclose(file);
    text[length] = 0;
    if (size) *size = (size_t)length;
    return text;
}

size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

char *next_line(char *text, const char *fields[4])
{
    char *end = strchr(text, '\n');
    *end = 0;
    for (int i = 0; i < 4; i++) {
        fields[i] = text;
        char *tab = strchr(text, '\t');
        if (tab) *tab = 0;
        text = tab ? tab + 1 : end;
    }
    return end + 1;
}

static int kind_of(const char *name)
{
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (!strcmp(name, kind_names[kind])) return kind;
    die("unknown kind %s", name);
}

static void read_pairs(workload *self, int kind)
{
    char name[64];
    snprintf(name, sizeof name, "pairs-%s.tsv", kind_names[kind]);
    char *text = read_file(self->folder, name, NULL);
    size_t count = count_lines(text);
    if (!count || (count & (count - 1))) die("%s: %zu pairs are not a power of two", name, count);
    self->pair_count[kind] = count;
    self->pairs[kind] = calloc(count, sizeof(pair));
    for (size_t i = 0; i < count; i++) {
        const char *fields[4];
        text = next_line(text, fields);
        self->pairs[kind][i] = (pair){kind_of(fields[0]), fields[1], strtoul(fields[2], NULL, 10)};
        if (self->pairs[kind][i].user >= self->user_count) die("%s: no such user", name);
    }
}

workload *workload_read(const char *folder)
{
    workload *self = calloc(1, sizeof *self);
    self->folder = folder;
    char *text = read_file(folder, "flags.tsv", NULL);
    self->flag_count = count_lines(text);
    self->flags = calloc(self->flag_count, sizeof(flag));
    const char *fields[4];
    for (size_t i = 0; i < self->flag_count; i++) {
        text = next_line(text, fields);
        self->flags[i] = (flag){kind_of(fields[0]), fields[1], fields[2], fields[3]};
    }
    text = read_file(folder, "users.tsv", NULL);
    self->user_count = count_lines(text);
    self->users = calloc(self->user_count, sizeof(user));
    for (size_t i = 0; i < self->user_count; i++) {
        text = next_line(text, fields);
        self->users[i] = (user){fields[0], fields[1], fields[2], fields[3]};
    }
    for (int kind = 0; kind < KIND_COUNT; kind++) read_pairs(self, kind);
    return self;
}
