/* What Swift cannot say: thread-local storage, pthread_atfork, membarrier,
 * single-instruction atomics on raw memory, and the signal shim of the linker. */
#pragma once
#include "shim_atomic.h"
#include "shim_fork.h"
#include "shim_lock.h"
#include "shim_reader.h"
#include "shim_thread.h"
