/* The texts that a transport writes into a caller's array: one sentence, terminated, within its
 * bytes. */
#pragma once

#include <stdint.h>

/* The least that transport.h promises. */
enum { RH_SENTENCE_BYTES = 256 };

/* RH_SENTENCE_BYTES before a page that cannot be written, so that a longer text crashes.  One array
 * for the whole process; each call makes it blank. */
char *rh_sentence_room(void);

/* Null, or what is wrong with the text that was written there: "writes no sentence". */
const char *rh_sentence_fault(const char *text);
