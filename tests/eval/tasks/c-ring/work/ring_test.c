#include "ring.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void check(int condition, const char *what)
{
    if (!condition) {
        printf("FAIL %s\n", what);
        failures++;
    }
}

int main(void)
{
    struct ring ring;
    unsigned char out[16];
    ring_init(&ring);
    check(ring_put(&ring, (const unsigned char *)"abcdefghij", 10) == CAPACITY, "a full ring takes its capacity");
    check(ring_take(&ring, out, 3) == 3 && memcmp(out, "abc", 3) == 0, "oldest first");
    check(ring_put(&ring, (const unsigned char *)"xyz", 3) == 3, "room for what was taken");
    check(ring_take(&ring, out, 16) == 8 && memcmp(out, "defghxyz", 8) == 0, "order over the end");
    printf(failures ? "failed\n" : "ok\n");
    return failures != 0;
}
