/** @file What the harness can be told to do; each command writes records to stdout. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "timing.h"

typedef struct {
    libraries where;
    const char *folder;  /**< a workload of one size */
    const char *only;    /**< titles of the workloads wanted, e.g. "W1,W2" */
    const char *subject; /**< commands that measure one engine in a process of its own */
    const char *store;   /**< an empty folder, for commands that keep something */
    plan how;
    int threads, attempts;
    double spread_limit, seconds;
} options;

int command_evaluate(const options *given); /**< W1 to W4, W14, W15, W24 */
int command_count(const options *given);    /**< makes evaluations that the loopback server should see counted */
int command_track(const options *given);    /**< W6 */
int command_load(const options *given);     /**< W7 */
int command_decide(const options *given);   /**< W5 and W13 */
int command_notice(const options *given);   /**< W17 */
int command_change(const options *given);   /**< W24: rules that a stream changes */
int command_burst(const options *given);    /**< W25, one kind of flags */
int command_fetch(const options *given);    /**< W18 and W19 */
int command_hit(const options *given);      /**< W20 */
int command_variation(const options *given); /**< W21 to W23 */
int command_swap(const options *given);     /**< W8 */
int command_memory(const options *given);   /**< W10, one engine */
int command_start(const options *given);    /**< W11, one engine */

#endif
