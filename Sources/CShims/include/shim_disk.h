/* Disks: what the system says of a file system, in a structure that Swift does not see. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Whether a write to a file in the folder goes to this machine's own cache of files, and so does not block: false
 * for file systems over a network, of a cluster, of a virtual machine's host or in a user's process, for unknown
 * ones, and when the system does not say. Any thread. */
bool shim_is_local(const char *_Nonnull folder);
/* The same of a file system's magic number. */
bool shim_is_local_kind(uint32_t kind);
