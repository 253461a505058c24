/* Which rank speaks for a job when several fail by themselves, each for the same reason. */
#ifndef RH_SCALE_WORD_H
#define RH_SCALE_WORD_H

/* 1 for the first caller of the processes of this host which one launcher started, and again for
 * that process; 0 for the others, as long as the first lives. */
int rh_word_take(void);

#endif
