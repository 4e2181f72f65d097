/* What Swift cannot say: thread-local storage, pthread_atfork, membarrier,
 * single-instruction atomics on raw memory, extensions of the C library, and the signal
 * shim of the linker. */
#pragma once
#include "shim_atomic.h"
#include "shim_bytes.h"
#include "shim_disk.h"
#include "shim_environment.h"
#include "shim_event.h"
#include "shim_fork.h"
#include "shim_gate.h"
#include "shim_hash.h"
#include "shim_lock.h"
#include "shim_pages.h"
#include "shim_reader.h"
#include "shim_thread.h"
