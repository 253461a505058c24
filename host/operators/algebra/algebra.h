/* Is an operator what it claims to be?  Its combination must be associative, and commutative if it
 * says so, and its identity must change no value.
 *
 * Formulas of + - * / and == are computed at random points modulo the prime 2^61 - 1: what holds
 * there is an identity of rational functions (Schwartz 1980; Zippel 1979).  This tells a wrong
 * formula from rounding, but says nothing of branches.  These are tried with values that elements
 * can reach: small integers and halves, on which floats do not round, ties, integers at the ends of
 * their range, ordinary numbers; and with values of many elements (laws.h).  Where floats round,
 * results may differ by rounding.
 *
 * A difference that is due to NaN, the sign of a zero, an overflow or an underflow is a note: a
 * user may want such an operator. */
#pragma once

#include "../../core/cl/session.h"
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

/* ---- An operator is examined once before it is first used ---- */

/* RH_OK if its laws hold as far as can be seen ; that is kept in the cache, so that it
 * is not examined again.  RH_E_PLUGIN, with the counterexample, if one is broken.  Notes are
 * logged. */
rh_status rh_algebra_trust(const rh_custom *self, rh_cache *cache, rh_error *error);

/* Examines it on n elements, the first of them number `first` of the whole, before a strategy is
 * blamed for what it made of them.  RH_OK also for what rh_algebra_examine() passes over. */
rh_status rh_algebra_trust_on(const rh_custom *self, const rh_arrays *arrays, uint64_t first,
                              uint64_t n, rh_error *error);

/* ---- Does a device compute an operator as the host does? ---- */

typedef struct rh_algebra_device {
  uint64_t n; /* triples of elements that were compared; 0: none */
  int is_wrong;
  char text[240]; /* "equal in 100000 triples on ..." */
} rh_algebra_device;

/* Loads and combines many triples of elements, in one launch.  They must be equal if every
 * operation has the same bits everywhere, and else close; NaN equals NaN.  Neither OpenCL C nor
 * built-in operators over inexact maps are compared.  Fails if the device does. */
rh_status rh_algebra_compare(const rh_custom *self, rh_cl_session *session,
                             rh_algebra_device *device, rh_error *error);
