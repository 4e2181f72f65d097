#ifndef HOIST_HOIST_H
#define HOIST_HOIST_H
#include <stdint.h>
typedef int32_t hoist_status;
#endif
