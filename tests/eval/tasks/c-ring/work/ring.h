#ifndef RING_H
#define RING_H

#include <stddef.h>

/* A queue of bytes of a fixed capacity. All CAPACITY bytes can be used. */
#define CAPACITY 8

struct ring {
    unsigned char bytes[CAPACITY];
    size_t head; /* the place of the oldest byte */
    size_t used; /* the number of bytes in it */
};

void ring_init(struct ring *ring);

/* Adds up to `length` bytes and returns how many there was room for. */
size_t ring_put(struct ring *ring, const unsigned char *bytes, size_t length);

/* Takes up to `length` bytes, oldest first, and returns how many there were. */
size_t ring_take(struct ring *ring, unsigned char *bytes, size_t length);

#endif
