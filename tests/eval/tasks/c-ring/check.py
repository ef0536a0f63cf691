from checking import TASK, only, passed, restore, succeeds

only("ring.c", "ring_test", "*.o")
restore("Makefile", "ring.h", "ring_test.c")
succeeds("make", "-B", "test")
succeeds("cc", "-std=c99", "-fsanitize=address,undefined", "-I.", "-o", "hidden", str(TASK / "hidden.c"), "ring.c")
succeeds("./hidden")
passed("the ring keeps its order through 5,000 steps")
