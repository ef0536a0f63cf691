KIB = 1 << 10
TINY = 4 * KIB
SMALL = 64 * KIB
LARGE = 10 * KIB * KIB
MODE = "local"
