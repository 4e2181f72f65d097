/* The pause after each number of failures lies between 0 and a limit that doubles, and every value of it can be drawn. */
#include "pause.h"
#include <stdio.h>

int main(void) {
    const int64_t limits[] = {0, 100, 200, 400, 800, 1000, 1000};
    for (int failed = 1; failed < 7; failed++) {
        int64_t least = 1 << 20, most = 0;
        for (uint64_t random = 0; random < 5000; random++) {
            int64_t pause = pause_ms(failed, 100, 1000, random);
            if (pause < least) least = pause;
            if (pause > most) most = pause;
        }
        if (least != 0 || most != limits[failed]) {
            printf("after %d failures from %d to %d\n", failed, (int)least, (int)most);
            return 1;
        }
    }
    return pause_ms(64, INT64_C(86400000), INT64_C(86400000), UINT64_MAX) > INT64_C(86400000) || pause_ms(3, 0, 0, 7) != 0;
}
