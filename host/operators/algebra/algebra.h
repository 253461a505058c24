/* Is an operator what it claims to be?  Its combination must be associative, and commutative if it
 * says so, and its identity must change no value.
 *
 * Formulas of + - * / and == are computed at random points modulo the prime 2^61 - 1: what holds
 * there is an identity of rational functions (Schwartz 1980; Zippel 1979).  This tells a wrong
 * formula from rounding, but says nothing of branches.  These are tried with values that elements
 * can reach: small integers and halves, on which floats do not round, ties, integers at the ends of
 * their range, ordinary numbers; and with values of many elements (sides.h).  Where floats round,
 * results may differ by rounding.
 *
 * A difference that is due to NaN, the sign of a zero, an overflow or an underflow is a note: a
 * user may want such an operator. */
#pragma once

#include "../custom/custom.h"

typedef enum rh_law { RH_LAW_IDENTITY, RH_LAW_ASSOCIATIVE, RH_LAW_COMMUTATIVE, RH_LAWS } rh_law;

/* How far a law is known to hold. */
enum {
  RH_LAW_UNTRIED,
  RH_LAW_BROKEN,      /* there is a counterexample */
  RH_LAW_SAMPLED,     /* in all cases that were tried */
  RH_LAW_PROVED,      /* as an identity, and in all cases that were tried */
  RH_LAW_PROVED_APART /* the same, but where == holds: there only in all cases that were tried */
};

enum { RH_ALGEBRA_NOTES = RH_LAWS + 1, RH_ALGEBRA_TEXT = 400 };

typedef struct rh_algebra_report {
  int laws[RH_LAWS];
  uint64_t cases;                                /* that were tried */
  char broken[RH_LAWS][RH_ALGEBRA_TEXT];         /* the counterexamples; "" */
  char notes[RH_ALGEBRA_NOTES][RH_ALGEBRA_TEXT]; /* n_notes of them */
  uint32_t n_notes;
} rh_algebra_report;

/* Examines it on the host.  RH_E_NOMEM only.  Mapped operators and several built-in ones in one
 * pass are right by themselves, and OpenCL C the host cannot evaluate: their laws stay untried.
 * [any thread] */
rh_status rh_algebra_examine(const rh_custom *self, rh_algebra_report *report, rh_error *error);

/* Is the law broken and needed?  Commutativity is needed only where it is claimed. */
int rh_algebra_is_wrong(const rh_custom *self, const rh_algebra_report *report, rh_law law);

/* The weightiest law that is broken and needed.  RH_LAWS: there is none. */
rh_law rh_algebra_verdict(const rh_custom *self, const rh_algebra_report *report);

const char *rh_law_name(rh_law law); /* "associative" */
