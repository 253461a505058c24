#include "check.h"

int rh_enclosed_serves(const rh_operator *op) {
  uint32_t base = op->base;
  if (op->is_struct || op->keeps_products || op->map_error == 0) return 0;
  return rh_op_is_sum(base) || base == RH_OP_min || base == RH_OP_max || base == RH_OP_amax;
}

static void take_end(rh_enclosed *to, uint32_t op, int is_first, double least, double most) {
  int is_min = op == RH_OP_min;
  to->least = is_first ? least : is_min ? fmin(to->least, least) : fmax(to->least, least);
  to->most = is_first ? most : is_min ? fmin(to->most, most) : fmax(to->most, most);
}

/* An element, which is `host` here. */
static void take_element(rh_enclosed *to, uint32_t op, double host, double low, double high) {
  int is_first = to->n++ == to->n_unknown; /* of those that are known */
  if (!(low <= host && host <= high)) {    /* NaN, too */
    to->n_unknown++;
    return;
  }
  if (op == RH_OP_asum || op == RH_OP_amax) {
    double x = fabs(low), y = fabs(high);
    host = fabs(host);
    low = low <= 0 && high >= 0 ? 0 : fmin(x, y);
    high = fmax(x, y);
  }
  if (rh_op_is_sum(op)) {
    to->below += host - low;
    to->above += high - host;
  } else {
    take_end(to, op, is_first, low, high);
  }
}

void rh_enclosed_add(rh_enclosed *to, const rh_operator *op, uint32_t field, rh_type type,
                     const rh_arrays *arrays, uint64_t first, uint64_t n, const void *mapped) {
  uint32_t base = op->is_struct ? RH_OP_sum : op->base;
  double host[RH_ENCLOSED_MOST], low[RH_ENCLOSED_MOST], high[RH_ENCLOSED_MOST];
  for (uint64_t done = 0, count; done < n; done += count) {
    count = n - done < RH_ENCLOSED_MOST ? n - done : RH_ENCLOSED_MOST;
    for (uint64_t j = 0; j < count; j++) host[j] = rh_number_at(type, mapped, done + j);
    if (op->calls->enclose(op, field, arrays, first + done, count, host, low, high) != 0) {
      to->n += count;
      to->n_unknown += count;
      continue;
    }
    for (uint64_t j = 0; j < count; j++) take_element(to, base, host[j], low[j], high[j]);
  }
}

void rh_enclosed_merge(rh_enclosed *to, uint32_t op, const rh_enclosed *part) {
  if (part->n > part->n_unknown && !rh_op_is_sum(op))
    take_end(to, op, to->n == to->n_unknown, part->least, part->most);
  to->n += part->n;
  to->n_unknown += part->n_unknown;
  to->below += part->below;
  to->above += part->above;
}
