#include "records.h"

/* ---- The t distribution ---- */

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun, 26.5.8), by
 * Lentz's method; converges quickly for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b) {
  double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), f = d;
  for (int m = 1; m < 500; m++) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    f *= c * d;
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    f *= c * d;
    if (fabs(c * d - 1) < 1e-14) break;
  }
  return f;
}

/* The regularised incomplete beta function I_x(a, b), for x + y = 1. */
static double beta(double x, double y, double a, double b) {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
  return 1 - front * beta_fraction(y, b, a) / b;
}

/* P(|T| > t) = I_x(freedom / 2, 1 / 2) with x = freedom / (freedom + t^2): 26.7.1 there. */
static double tails(double t, double freedom) {
  double all = freedom + t * t;
  return beta(freedom / all, t * t / all, freedom / 2, 0.5);
}

double rh_student_t(double both_tails, double freedom) {
  double low = 0, high = 1;
  while (tails(high, freedom) > both_tails && high < 1e12) high *= 2;
  for (int k = 0; k < 100 && low < high; k++) {
    double t = (low + high) / 2;
    if (tails(t, freedom) > both_tails) low = t;
    else high = t;
  }
  return (low + high) / 2;
}

/* ---- Means ---- */

static double mean_of(const double *values, uint32_t n) {
  double sum = 0;
  for (uint32_t k = 0; k < n; k++) sum += values[k];
  return sum / n;
}

/* The squared standard error of the mean. */
static double error_of(const double *values, uint32_t n) {
  double mean = mean_of(values, n), sum = 0;
  for (uint32_t k = 0; k < n; k++) sum += (values[k] - mean) * (values[k] - mean);
  return sum / (n - 1) / n;
}

rh_estimate rh_student_mean(const double *values, uint32_t n, double miss) {
  if (n < 2) return (rh_estimate){n ? values[0] : 0, HUGE_VAL};
  return (rh_estimate){mean_of(values, n), rh_student_t(miss, n - 1) * sqrt(error_of(values, n))};
}

rh_estimate rh_student_difference(const double *a, uint32_t n_a, const double *b, uint32_t n_b,
                                  double miss) {
  double of_a = error_of(a, n_a), of_b = error_of(b, n_b), both = of_a + of_b;
  rh_estimate difference = {mean_of(b, n_b) - mean_of(a, n_a), 0};
  if (!(both > 0)) return difference; /* all values are equal */
  double freedom = both * both / (of_a * of_a / (n_a - 1) + of_b * of_b / (n_b - 1));
  difference.half = rh_student_t(miss, freedom) * sqrt(both);
  return difference;
}
