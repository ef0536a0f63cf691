#include "ring.h"

void ring_init(struct ring *ring)
{
    ring->head = 0;
    ring->used = 0;
}

size_t ring_put(struct ring *ring, const unsigned char *bytes, size_t length)
{
    size_t count = 0;
    while (count < length && ring->used < CAPACITY - 1) {
        ring->bytes[ring->head + ring->used] = bytes[count];
        ring->used++;
        count++;
    }
    return count;
}

size_t ring_take(struct ring *ring, unsigned char *bytes, size_t length)
{
    size_t count = 0;
    while (count < length && ring->used > 0) {
        bytes[count] = ring->bytes[ring->head];
        ring->head = ring->head + 1;
        ring->used--;
        count++;
    }
    return count;
}
