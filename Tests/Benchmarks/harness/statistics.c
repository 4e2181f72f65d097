#include "statistics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sample_add(sample *self, double value)
{
    if (self->count < MAX_RUNS) self->values[self->count++] = value;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static sample sorted(const sample *self)
{
    sample copy = *self;
    qsort(copy.values, copy.count, sizeof(double), compare);
    return copy;
}

double sample_median(const sample *self)
{
    sample in_order = sorted(self);
    size_t middle = in_order.count / 2;
    if (!in_order.count) return 0;
    return in_order.count % 2 ? in_order.values[middle] : (in_order.values[middle - 1] + in_order.values[middle]) / 2;
}

double sample_minimum(const sample *self) { return self->count ? sorted(self).values[0] : 0; }

double sample_spread(const sample *self)
{
    sample in_order = sorted(self);
    if (in_order.count < 4) return 0;
    return (in_order.values[in_order.count - 2] - in_order.values[1]) / sample_median(self);
}

static unsigned bucket_of(uint64_t nanoseconds)
{
    if (nanoseconds < 64) return (unsigned)nanoseconds;
    unsigned power = 63 - (unsigned)__builtin_clzll(nanoseconds);
    unsigned bucket = 64 + (power - 6) * 32 + (unsigned)(nanoseconds >> (power - 5)) - 32;
    return bucket < 2048 ? bucket : 2047;
}

static double upper_edge(unsigned bucket)
{
    if (bucket < 64) return bucket;
    unsigned power = 6 + (bucket - 64) / 32, part = (bucket - 64) % 32;
    return (double)((uint64_t)(33 + part) << (power - 5)) - 1;
}

void histogram_add(histogram *self, uint64_t nanoseconds)
{
    self->buckets[bucket_of(nanoseconds)]++;
    self->count++;
    if (nanoseconds > self->highest) self->highest = nanoseconds;
}

double histogram_quantile(const histogram *self, double share)
{
    uint64_t wanted = (uint64_t)((double)self->count * share), seen = 0;
    for (unsigned bucket = 0; bucket < 2048; bucket++)
        if ((seen += self->buckets[bucket]) > wanted)
            return upper_edge(bucket) < (double)self->highest ? upper_edge(bucket) : (double)self->highest;
    return (double)self->highest;
}

void record_begin(const char *type) { printf("{\"record\":\"%s\"", type); }
void record_text(const char *name, const char *value) { printf(",\"%s\":\"%s\"", name, value); }
void record_number(const char *name, double value) { printf(",\"%s\":%.6g", name, value); }

void record_sample(const sample *values)
{
    record_number("median", sample_median(values));
    record_number("minimum", sample_minimum(values));
    record_number("spread", sample_spread(values));
}

void record_end(void)
{
    puts("}");
    fflush(stdout);
}

void record_case(const char *type, const char *workload, const char *subject, const char *what, size_t size,
                 const sample *nanoseconds)
{
    sample each = {0};
    for (size_t i = 0; i < nanoseconds->count; i++) sample_add(&each, nanoseconds->values[i] / 1000);
    record_begin(type);
    record_text("workload", workload);
    record_text("subject", subject);
    record_text("case", what);
    record_number("size", (double)size);
    record_sample(&each);
    record_end();
}
