#include "wrong.h"

WRONG("right", "nothing is wrong with it", 0, WALK, STORE);
