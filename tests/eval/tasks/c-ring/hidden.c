#include "ring.h"

#include <stdio.h>

/* Many small steps against a count: each byte is the number of its turn. */
int main(void)
{
    struct { unsigned char before[64]; struct ring ring; unsigned char after[64]; } place = {0};
    unsigned int written = 0, taken = 0;
    ring_init(&place.ring);
    for (unsigned int step = 0; step < 5000; step++) {
        unsigned char in[5], out[5];
        unsigned int want = step * 7 % 6;
        for (unsigned int i = 0; i < 5; i++)
            in[i] = (unsigned char)(written + i);
        written += (unsigned int)ring_put(&place.ring, in, want > 5 ? 5 : want);
        size_t got = ring_take(&place.ring, out, step * 5 % 4);
        for (size_t i = 0; i < got; i++)
            if (out[i] != (unsigned char)taken++)
                return puts("wrong order"), 1;
        if (written - taken != place.ring.used || place.ring.used > CAPACITY)
            return puts("wrong count"), 1;
    }
    for (int i = 0; i < 64; i++)
        if (place.before[i] || place.after[i])
            return puts("written outside of the buffer"), 1;
    return 0;
}
