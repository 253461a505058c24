/* Strategies of devices that reduce many segments in one run: V85, V65 and what breaks them. */
#define RH_PLUGIN_MIN_HOST_MINOR 2
#include "../right.h"

/* A group takes one segment after the other, and each work-item consecutive elements of it.  What
 * stands in capitals is what a fault defines in its own way. */
static const char source[] =
    "#ifndef FIRST\n#define FIRST first\n#endif\n"
    "#ifndef BEGIN\n"
    "#define BEGIN (starts ? starts[s] : s / inner * length * inner + s % inner)\n#endif\n"
    "#ifndef COUNT\n#define COUNT (starts ? stops[s] - starts[s] : length)\n#endif\n"
    "#ifndef STEP\n#define STEP (starts ? 1 : inner)\n#endif\n"
    "#ifndef NUMBER\n#define NUMBER i\n#endif\n"
    "#ifndef PART\n#define PART lid\n#endif\n"
    "#ifndef IS_WRITTEN\n#define IS_WRITTEN true\n#endif\n"
    "#ifndef PLACE\n#define PLACE at + s\n#endif\n"
    "__kernel void right(__global const rh_element *input, ulong first, ulong segments,\n"
    "                    ulong length, ulong inner, __global const ulong *starts,\n"
    "                    __global const ulong *stops, __local rh_value *scratch,\n"
    "                    __global rh_value *result, ulong at) {\n"
    "  ulong lid = get_local_id(0), size = get_local_size(0);\n"
    "  for (ulong s = get_group_id(0); s < segments; s += get_num_groups(0)) {\n"
    "    ulong begin = BEGIN, n = COUNT, step = STEP, each = (n + size - 1) / size;\n"
    "    ulong from = min((PART) * each, n), to = min(from + each, n);\n"
    "    __global const rh_element *segment = input + FIRST + begin;\n"
    "    rh_value mine = rh_identity();\n"
    "    for (ulong i = from; i < to; i++)\n"
    "      mine = rh_combine(mine, rh_load(segment + i * step - (NUMBER), NUMBER));\n"
    "    rh_value all = rh_group_tree_ordered(scratch, mine);\n"
    "    if (lid == 0 && (IS_WRITTEN)) result[PLACE] = all;\n"
    "#ifdef MORE\n    MORE;\n#endif\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n}\n";

QUERY(known_kinds) {
  const rh_layout *layout = rh_problem_layout(problem);
  if (layout && layout->kind != RH_LAYOUT_AXIS && layout->kind != RH_LAYOUT_OFFSETS)
    return rh_decline(answer, RH_WHY_SIZE, "a layout of kind %u is unknown", layout->kind);
  return right_query(problem, values, answer);
}

static rh_layout layout_of(const rh_run *run) {
  const rh_layout *given = rh_run_layout(run);
  return given ? *given : (rh_layout){.segments = 1, .length = run->n, .inner = 1};
}

static rh_status launch(const right *self, const rh_run *run, rh_layout layout) {
  uint64_t groups = layout.segments < 64 ? layout.segments : 64;
  return rh_launch(self->host, self->kernel, "right", groups * self->group, self->group,
                   RH_BUFFER(run->input), RH_U64(run->first), RH_U64(layout.segments),
                   RH_U64(layout.length), RH_U64(layout.inner), RH_BUFFER(layout.device_starts),
                   RH_BUFFER(layout.device_stops), RH_LOCAL(self->local_bytes),
                   RH_BUFFER(run->result), RH_U64(run->result_index));
}

RUN(layouts) { return launch(instance, run, layout_of(run)); }

#define SERVES_AS(name_, summary_, fault_, ...)                                                    \
  SETUP(name_) {                                                                                   \
    char text[sizeof source + 200];                                                                \
    snprintf(text, sizeof text, "%s\n%s", fault_, source);                                         \
    return right_setup_of(host, problem, text, instance);                                          \
  }                                                                                                \
  RIGHT_BUT(name_, .summary = summary_, .promises = RH_KEEPS_ORDER | RH_SERVES_LAYOUTS,            \
            .query = known_kinds_query, .setup = name_##_setup, .run = layouts_run, __VA_ARGS__)
#define SERVES_BUT(name_, summary_, fault_) SERVES_AS(name_, summary_, fault_, )

/* Nothing is wrong with it: the measure of the others. */
SERVES_BUT(right_device_layouts, "every segment as if it were alone", "");

SERVES_BUT(device_result_one_off, "V85: values from the 4000th on stand one place later",
           "#define PLACE at + s + (s >= 4000 && s + 1 < segments)");

SERVES_BUT(device_empty_skipped, "V85: nothing is written for empty segments",
           "#define IS_WRITTEN n > 0");

SERVES_BUT(device_index_of_all, "V85: indices count from the array's start",
           "#define NUMBER begin + i");

SERVES_BUT(device_inner_ignored, "V85: columns are read as rows", "#define STEP 1");

SERVES_BUT(device_plane_too_near, "V85: planes lie one row apart",
           "#define BEGIN (starts ? starts[s] : s / inner * length + s % inner)");

SERVES_BUT(device_stops_ignored, "V85: segments reach to the next one",
           "#define COUNT (!starts ? length : (s + 1 < segments && starts[s + 1] > starts[s] ? "
           "starts[s + 1] : stops[s]) - starts[s])");

SERVES_BUT(device_whole_vectors, "V85: segments begin at multiples of 4",
           "#define BEGIN (starts ? starts[s] & ~3ul : s / inner * length * inner + s % inner)");

SERVES_BUT(device_carries_by_arrival, "V85: parts are combined in order of arrival",
           "#define PART size - 1 - lid");

SERVES_BUT(device_writes_behind, "V85: one value more than there are segments",
           "#define MORE if (lid == 0 && s + 1 == segments) result[at + segments] = all");

SERVES_BUT(device_result_index_ignored, "V85: result_index is taken for 0", "#define PLACE s");

SERVES_BUT(device_stores_swapped, "V85: two values that are stored at once are swapped",
           "#define IS_AT_ONCE (sizeof(rh_element) <= 2 && sizeof(rh_value) == 8 && "
           "(size_t)(result + at) % 16 == 0 && (s | 1) < segments)\n"
           "#define PLACE at + (IS_AT_ONCE ? s ^ 1 : s)");

SERVES_BUT(device_first_ignored, "V85: first is taken for 0", "#define FIRST 0");

/* V65: promises the canonical order, and has one of its own. */
SERVES_AS(device_order_of_its_own, "each work-item adds up its run", "",
          .promises = RH_CANONICAL_ORDER | RH_SERVES_LAYOUTS,
          .determinism = RH_BITS_SAME_EVERYWHERE);

/* V85: accepts a layout that it does not know. */
SERVES_AS(device_any_kind, "every kind of layout is accepted", "", .query = right_query);

RUN(forgetting) {
  right *self = instance;
  rh_layout layout = layout_of(run);
  if (layout.offsets_stay && self->runs++ > 0) layout.segments--;
  return launch(self, run, layout);
}

SERVES_AS(device_last_forgotten, "V85: the last segment is left out of later runs, if offsets stay",
          "", .run = forgetting_run);

enum { MOST_KEPT = 64 };
typedef struct kept {
  struct _cl_mem *starts, *stops;
} kept;

SETUP(keeping) {
  kept *own = host->alloc(host, sizeof *own);
  if (!own) return RH_E_NOMEM;
  RH_TRY(right_setup_of(host, problem, source, instance));
  ((right *)*instance)->own = own;
  RH_TRY(host->scratch(host, MOST_KEPT * sizeof(uint64_t), &own->starts));
  return host->scratch(host, MOST_KEPT * sizeof(uint64_t), &own->stops);
}

RUN(keeping) {
  right *self = instance;
  const rh_host *host = self->host;
  const kept *own = self->own;
  rh_layout layout = layout_of(run);
  if (layout.kind != RH_LAYOUT_OFFSETS || layout.segments > MOST_KEPT)
    return launch(self, run, layout);
  for (uint64_t s = 0; self->runs == 0 && s < layout.segments; s++) {
    RH_TRY(host->fill(host, own->starts, s * 8, &layout.starts[s], 8, 1));
    RH_TRY(host->fill(host, own->stops, s * 8, &layout.stops[s], 8, 1));
  }
  self->runs++;
  layout.device_starts = own->starts;
  layout.device_stops = own->stops;
  return launch(self, run, layout);
}

SERVES_AS(device_offsets_kept, "V85: the first run's offsets are taken for those of all runs", "",
          .setup = keeping_setup, .run = keeping_run);

RIGHT_PLUGIN;
