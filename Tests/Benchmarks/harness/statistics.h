/** @file Runs and what is reported of them. */
#ifndef STATISTICS_H
#define STATISTICS_H

#include <stddef.h>
#include <stdint.h>

enum { MAX_RUNS = 64 };

typedef struct { double values[MAX_RUNS]; size_t count; } sample;

void sample_add(sample *self, double value);
double sample_median(const sample *self);
double sample_minimum(const sample *self);
/** (highest - lowest) / median of the runs, leaving out the most extreme run at each end. */
double sample_spread(const sample *self);

/** Times of single calls in nanoseconds: exact below 64, then 32 buckets per power of two (3 % wide). */
typedef struct { uint64_t buckets[2048], count, highest; } histogram;

void histogram_add(histogram *self, uint64_t nanoseconds);
/** The upper edge of the bucket that holds the given share (0…1) of the calls. */
double histogram_quantile(const histogram *self, double share);

/** Writes one JSON object per line to stdout: a row of the report. Text values must need no escaping. */
void record_begin(const char *type);
void record_text(const char *name, const char *value);
void record_number(const char *name, double value);
/** Median, minimum and spread as members `median`, `minimum`, `spread`. */
void record_sample(const sample *values);
void record_end(void);
/** A row of what a vendor's visitors do, in µs; of type `flagship` or `kameleoon`. */
void record_case(const char *type, const char *workload, const char *subject, const char *what, size_t size,
                 const sample *nanoseconds);

#endif
