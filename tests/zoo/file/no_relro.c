/* V06: its tables stay writable after relocation (-z norelro). */
#include "../right.h"

RIGHT_BUT(no_relro, .summary = "has no RELRO");

RH_PLUGIN(&strategy_no_relro);
