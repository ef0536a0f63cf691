sed -i 's/CAPACITY - 1/CAPACITY/; s/\[ring->head + ring->used\]/[(ring->head + ring->used) % CAPACITY]/; s/ring->head = ring->head + 1;/ring->head = (ring->head + 1) % CAPACITY;/' ring.c
