/* V64: a tree for each of the group's tiles, the last level of which work-item 0 takes.  Nothing
 * keeps the others from filling local memory with the next tile meanwhile: that shows where a later
 * work-item runs first. */
#include "../results/wrong.h"

WRONG("tree_used_again", "no barrier before the next tree", 0,
      "for (ulong at = 0; at < n; at += size) {"
      "  scratch[lid] = at + lid < n ? rh_load(input, at + lid) : rh_identity();"
      "  for (ulong s = size / 2; s > 0; s /= 2) {"
      "    barrier(CLK_LOCAL_MEM_FENCE);"
      "    if (lid < s) scratch[lid] = rh_combine(scratch[lid], scratch[lid + s]);"
      "  }"
      "  if (lid == 0) mine = rh_combine(mine, scratch[0]);"
      "}"
      "barrier(CLK_LOCAL_MEM_FENCE);",
      STORE);
