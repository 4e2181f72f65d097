#include "timing.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

static double read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double wall_ns(void) { return read_clock(CLOCK_MONOTONIC); }
double thread_cpu_ns(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
double process_cpu_ns(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

void pin(int number)
{
    static cpu_set_t allowed;
    if (!CPU_COUNT(&allowed)) sched_getaffinity(0, sizeof allowed, &allowed);
    number %= CPU_COUNT(&allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed) || number-- > 0) continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
        return;
    }
}

static volatile uint64_t sink; /* keeps the loops from being optimised away */

/** How many calls fill a run; warms the subject up on the way. */
static size_t calls_per_run(const plan *how, const subject *one)
{
    for (size_t calls = 1024;; calls *= 2) {
        double before = thread_cpu_ns();
        sink += one->loop(one->state, 0, calls);
        double took = thread_cpu_ns() - before;
        if (took < how->run_ms * 1e6 / 4) continue;
        double wanted = (double)calls * how->run_ms * 1e6 / took;
        return wanted < 1024 ? 1024 : (size_t)wanted;
    }
}

void time_in_turn(const plan *how, const subject *subjects, size_t count, sample *cpu, sample *wall)
{
    size_t calls[MAX_SUBJECTS];
    pin(0);
    for (size_t i = 0; i < count; i++) calls[i] = calls_per_run(how, &subjects[i]);
    for (int run = 0; run < how->runs; run++) {
        for (size_t i = 0; i < count; i++) {
            double wall_before = wall_ns(), cpu_before = thread_cpu_ns();
            sink += subjects[i].loop(subjects[i].state, 0, calls[i]);
            sample_add(&cpu[i], (thread_cpu_ns() - cpu_before) / (double)calls[i]);
            sample_add(&wall[i], (wall_ns() - wall_before) / (double)calls[i]);
        }
    }
}

typedef struct {
    const subject *one;
    size_t first, calls;
    int number;
    pthread_barrier_t *start;
    double wall, cpu;
} job;

static void *run_job(void *pointer)
{
    job *self = pointer;
    pin(self->number);
    uint64_t sum = self->one->loop(self->one->state, self->first, 1024); /* a first call may set this thread up */
    pthread_barrier_wait(self->start);
    double wall_before = wall_ns(), cpu_before = thread_cpu_ns();
    sum += self->one->loop(self->one->state, self->first, self->calls);
    self->cpu = thread_cpu_ns() - cpu_before;
    self->wall = wall_ns() - wall_before;
    sink += sum;
    return NULL;
}

static double larger(double left, double right) { return left > right ? left : right; }

static void run_twice_at_once(const subject *one, size_t calls, sample *cpu, sample *wall)
{
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, 2);
    pthread_t second;
    job jobs[2] = {{one, 0, calls, 0, &start, 0, 0}, {one, 512, calls, 1, &start, 0, 0}};
    if (pthread_create(&second, NULL, run_job, &jobs[1])) die("no second thread");
    run_job(&jobs[0]);
    pthread_join(second, NULL);
    pthread_barrier_destroy(&start);
    sample_add(cpu, larger(jobs[0].cpu, jobs[1].cpu) / (double)calls);
    sample_add(wall, larger(jobs[0].wall, jobs[1].wall) / (double)calls);
}

void time_two_threads(const plan *how, const subject *subjects, size_t count, sample *cpu, sample *wall)
{
    size_t calls[MAX_SUBJECTS];
    pin(0);
    for (size_t i = 0; i < count; i++) calls[i] = calls_per_run(how, &subjects[i]);
    for (int run = 0; run < how->runs; run++)
        for (size_t i = 0; i < count; i++) run_twice_at_once(&subjects[i], calls[i], &cpu[i], &wall[i]);
}
