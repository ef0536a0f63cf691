#include "common.h"

int main(void)
{
    puts(GREETING " from " NAME);
    return 0;
}
