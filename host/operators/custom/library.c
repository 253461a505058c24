/* The operators that come with redhost. */
#include "file.h"
#include "operator_library.h"

typedef struct library_row {
  const char *name, *text;
} library_row;

static const library_row library[] = {
    {"all", operator_all_json},
    {"any", operator_any_json},
    {"cmul", operator_cmul_json},
    {"cosine", operator_cosine_json},
    {"count", operator_count_json},
    {"dot", operator_dot_json},
    {"logsumexp", operator_logsumexp_json},
    {"mean", operator_mean_json},
    {"meanvar", operator_meanvar_json},
    {"minmax", operator_minmax_json},
    {"norm2", operator_norm2_json},
    {"ptp", operator_ptp_json},
    {"quat", operator_quat_json},
    {"rms", operator_rms_json},
    {"wmean", operator_wmean_json},
};

const char *rh_library_text(size_t k, const char **name) {
  if (k >= sizeof library / sizeof *library) return NULL;
  if (name) *name = library[k].name;
  return library[k].text;
}
