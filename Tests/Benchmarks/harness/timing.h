/** @file Clocks, pinning, and runs that take turns. */
#ifndef TIMING_H
#define TIMING_H

#include "statistics.h"
#include "subject.h"

typedef struct { int runs; double run_ms; } plan;

double wall_ns(void);
double thread_cpu_ns(void);
double process_cpu_ns(void);
/** Pins the calling thread to the n-th processor the process may use. */
void pin(int number);

/**
 * Times all subjects in turn (A B C A B C …), on one pinned thread, in nanoseconds of thread CPU time per call.
 * `cpu[i]` and `wall[i]` receive the runs of subject i.
 */
void time_in_turn(const plan *how, const subject *subjects, size_t count, sample *cpu, sample *wall);

/** The same with two pinned threads at once, per call and thread; of each run the slower thread. */
void time_two_threads(const plan *how, const subject *subjects, size_t count, sample *cpu, sample *wall);

#endif
