# The place wraps where bytes are put, and not where they are taken.
sed -i 's/CAPACITY - 1/CAPACITY/; s/\[ring->head + ring->used\]/[(ring->head + ring->used) % CAPACITY]/' ring.c
