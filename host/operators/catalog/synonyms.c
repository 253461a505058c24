#include "catalog.h"

typedef struct synonyms {
  const char *names, *instead; /* "|mean|avg|" */
} synonyms;

static const char *instead_of(const char *name, const synonyms *table, size_t n) {
  char wanted[64];
  if (strchr(name, '|') || snprintf(wanted, sizeof wanted, "|%s|", name) >= (int)sizeof wanted)
    return NULL;
  for (size_t k = 0; k < n; k++)
    if (strstr(table[k].names, wanted)) return table[k].instead;
  return NULL;
}

/* Names in C, NumPy, Rust and OpenCL. */
const char *rh_type_instead(const char *name) {
  static const synonyms table[] = {
      {"|bool|bool_|_Bool|boolean|b1|?|", "use u8, of bytes that are 0 or 1"},
      {"|int8|int8_t|char|schar|byte|i1|", "use i8"},
      {"|uint8|uint8_t|uchar|ubyte|u1|", "use u8"},
      {"|int16|int16_t|short|i2|<i2|", "use i16"},
      {"|uint16|uint16_t|ushort|u2|<u2|", "use u16"},
      {"|int32|int32_t|int|intc|i4|<i4|", "use i32"},
      {"|uint32|uint32_t|uint|unsigned|uintc|u4|<u4|", "use u32"},
      {"|int64|int64_t|long|longlong|<i8|", "use i64"},
      {"|uint64|uint64_t|ulong|ulonglong|size_t|<u8|", "use u64"},
      {"|float16|half|f2|<f2|", "use f16"},
      {"|float32|single|f4|<f4|", "use f32"},
      {"|float64|double|f8|<f8|", "use f64"},
      {"|float|", "use f32 for C's float and f64 for Python's"},
      {"|>i2|>u2|>f2|>i4|>u4|>f4|>i8|>u8|>f8|",
       "raw data are in this machine's byte order; a .npy file may have either"},
  };
  return instead_of(name, table, sizeof table / sizeof *table);
}

/* Names in NumPy, CUB, BLAS, MPI and SQL.  "use NAME" names an operator that is built in or comes
 * with redhost. */
const char *rh_op_instead(const char *name) {
  static const synonyms table[] = {
      {"|avg|average|", "use mean"},
      {"|weighted_mean|weighted_average|", "use wmean, of the elements and their weights"},
      {"|add|plus|total|fsum|accumulate|", "use sum"},
      {"|multiply|mul|product|", "use prod"},
      {"|minimum|fmin|amin|", "use min; of floats a NaN wins"},
      {"|maximum|fmax|", "use max; of floats a NaN wins"},
      {"|nansum|", "use sum, where !isnan(x)"},
      {"|nanprod|", "use prod, where !isnan(x)"},
      {"|nanmin|", "use min, where !isnan(x)"},
      {"|nanmax|", "use max, where !isnan(x)"},
      {"|nanargmin|", "use argmin, where !isnan(x)"},
      {"|nanargmax|", "use argmax, where !isnan(x)"},
      {"|nanmean|", "use mean, where !isnan(x)"},
      {"|minloc|iamin|arg_min|", "use argmin"},
      {"|maxloc|arg_max|", "use argmax"},
      {"|iamax|isamax|idamax|", "use argamax, which counts from 0"},
      {"|extrema|aminmax|", "use minmax"},
      {"|range|spread|", "use ptp"},
      {"|logical_or|lor|any_of|", "use any"},
      {"|logical_and|land|all_of|", "use all"},
      {"|bitwise_and|bit_and|band|", "use and"},
      {"|bitwise_or|bit_or|bor|", "use or"},
      {"|bitwise_xor|bit_xor|bxor|parity|", "use xor"},
      {"|logical_xor|lxor|", "use xor; the elements have to be 0 or 1"},
      {"|count_nonzero|count_if|nnz|", "use count"},
      {"|norm|nrm2|snrm2|dnrm2|l2|l2norm|euclidean|", "use norm2"},
      {"|l1|l1norm|norm1|sasum|dasum|", "use asum"},
      {"|linf|norminf|absmax|", "use amax"},
      {"|inner|vdot|sdot|ddot|inner_product|", "use dot, of two operands"},
      {"|sumsq|sumsquares|sum_of_squares|", "use sum, of the map x*x"},
      {"|std|stddev|nanstd|", "use meanvar; the root of its variance, which divides by n"},
      {"|var|variance|nanvar|", "use meanvar; its variance divides by n"},
      {"|cosine_similarity|", "use cosine, of two operands"},
      {"|root_mean_square|quadratic_mean|", "use rms"},
      {"|log_sum_exp|logaddexp|lse|", "use logsumexp"},
      {"|cumsum|cumprod|scan|prefix_sum|inclusive_scan|exclusive_scan|",
       "redhost makes one value of all elements, and no scans; the last element of cumsum is sum"},
      {"|median|nanmedian|percentile|quantile|mode|sort|unique|",
       "redhost reduces in one pass, and neither sorts nor selects"},
      {"|histogram|bincount|",
       "redhost makes no tables; one bin is sum, of the map x >= 0 && x < 1"},
  };
  return instead_of(name, table, sizeof table / sizeof *table);
}
