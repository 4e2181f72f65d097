/* The process around us: what the C library has beyond the standard and Swift does not see. */
#pragma once

/* A variable's value; NULL for none. In a program that has more rights than its caller, as one with the set-user-ID bit,
 * there is none: the caller must not steer it. Not while another thread changes variables. */
const char *_Nullable shim_environment(const char *_Nonnull name);

/* The file of the shared object that this code is in, as the dynamic linker was told it; NULL where it is not known. */
const char *_Nullable shim_object_file(void);
