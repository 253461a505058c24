/* V02: exports a function besides the descriptor.  In the global scope, it would replace every
 * other log(). */
#include "../right.h"

RH_EXPORT double log(double x);
double log(double x) { return x; }

RIGHT_BUT(exports_log, .summary = "exports log()");

RIGHT_PLUGIN;
