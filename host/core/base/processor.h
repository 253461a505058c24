/* The host's processor. */
#pragma once

enum { RH_PROCESSOR_WORD = 48 };

/* The processor's model, such that times measured on one are likely to hold for another one of the
 * same: "GenuineIntel 6 143", vendor, family and model as CPUID has them, or, on ARM, implementer
 * and part, as in "ARM 0x41 0xd4f"; "" if unknown. */
void rh_processor_family(char family[RH_PROCESSOR_WORD]);
