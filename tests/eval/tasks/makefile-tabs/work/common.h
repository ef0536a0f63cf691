#include <stdio.h>
#define GREETING "hello"
