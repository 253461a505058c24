/* One rank speaks for a job when several fail by themselves, each for the same reason. */
#pragma once

/* 1 for the first caller of the processes of this host which one launcher started, and again for
 * that process; 0 for the others, as long as the first lives. */
int rh_word_take(void);

/* Before the speaker ends, so that others find the word taken: the launcher may need longer to end
 * them than they to come.  Both may be called in a signal handler. */
void rh_word_hold(void);
