/* V20: promises the same bits everywhere, and answers for smaller groups with another depth: the
 * shape of its tree depends on the device. */
#include "../right.h"

RIGHT_BUT("everywhere", .summary = "promises what its own answers contradict",
          .determinism = RH_BITS_SAME_EVERYWHERE);
