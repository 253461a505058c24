/* V02: exports a function beside the descriptor. Were it in the global scope, everybody's log()
 * would be this one. */
#include "../right.h"

RH_EXPORT double log(double x);
double log(double x) {
  return x;
}

RIGHT_BUT("exports_log", .summary = "exports log()");
