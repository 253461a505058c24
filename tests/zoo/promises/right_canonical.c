/* Nothing is wrong with it: the measure of those that break the canonical order. */
#include "../canonical.h"

CANONICAL_BUT("right_canonical", "keeps the canonical order", CANONICAL_NODE, CANONICAL_TREE);
