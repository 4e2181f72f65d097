#pragma once
void shim_locks_prepare(void);
void shim_locks_parent(void);
void shim_locks_child(void);
