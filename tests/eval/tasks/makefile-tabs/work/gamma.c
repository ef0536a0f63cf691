#include "common.h"

#include <math.h>

int main(int argc, char **argv)
{
    (void)argv;
    printf(GREETING " from " NAME ", %.3f\n", tgamma(argc + 0.5));
    return 0;
}
