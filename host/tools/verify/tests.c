/* The tests of docs/extend/verify.md. */
#include "trial.h"

#define FILE_TEST(id, run, title)                                                                  \
  { id, title, run, RH_NEEDS_NOTHING, RH_OF_FILE, 1, 20, 0.05, 0.05 }
#define LOADING_TEST(id, run, title)                                                               \
  { id, title, run, RH_NEEDS_NOTHING, RH_OF_PLUGIN, 1, 20, 0.05, 0.05 }
#define PLUGIN_TEST(id, run, title)                                                                \
  { id, title, run, RH_NEEDS_PLUGIN, RH_OF_PLUGIN, 1, 20, 0.1, 0.1 }
#define QUERY_TEST(id, run, title)                                                                 \
  { id, title, run, RH_NEEDS_PLUGIN, RH_OF_STRATEGY, 1, 20, 0.3, 0.1 }
#define RUN_TEST(id, run, title, s, quick)                                                         \
  { id, title, run, RH_NEEDS_DEVICE, RH_OF_STRATEGY, 1, 60, s, quick }
#define TRANSPORT_TEST(id, run, title)                                                             \
  { id, title, run, RH_NEEDS_NOTHING, RH_OF_TRANSPORT, 1, 20, 0.1, 0.1 }
#define JOB_TEST(id, run, title, variants, s, quick)                                               \
  { id, title, run, RH_NEEDS_NOTHING, RH_OF_TRANSPORT, variants, 120, s, quick }

static const rh_test tests[] = {
    FILE_TEST("V01", rh_v01_machine, "built for this machine"),
    FILE_TEST("V02", rh_v02_exports, "exports its descriptor and nothing else"),
    FILE_TEST("V03", rh_v03_undefined, "every undefined symbol is in a library that it names"),
    FILE_TEST("V04", rh_v04_needed, "needs only ordinary libraries"),
    FILE_TEST("V05", rh_v05_static_tls, "no static thread-local storage"),
    FILE_TEST("V06", rh_v06_hardened, "no text relocations, no executable stack, RELRO"),
    FILE_TEST("V07", rh_v07_unique, "no unique symbols, which keep a library loaded"),
    FILE_TEST("V08", rh_v08_rpath, "no run path that is empty, relative or writable by others"),
    LOADING_TEST("V09", rh_v09_imports, "imports no function that needs a reason"),

    FILE_TEST("V10", rh_v10_loads, "loads quickly and silently"),
    FILE_TEST("V11", rh_v11_fpstate, "loading preserves the floating-point environment"),
    {"V12", "works in a locale with a decimal comma, and does not change it", rh_v12_locale,
     RH_NEEDS_NOTHING, RH_OF_STRATEGY, 1, 60, 0.3, 0.1},
    LOADING_TEST("V13", rh_v13_process, "loading and queries leave the process unchanged"),
    {"V14", "the descriptor is its own, even next to other plugins", rh_v14_entry, RH_NEEDS_NOTHING,
     RH_OF_PLUGIN, 3, 20, 0.1, 0.1},
    LOADING_TEST("V15", rh_v15_unloads, "unloads if declared, ten times"),

    LOADING_TEST("V16", rh_v16_version, "descriptor: magic, sizes, versions, flags"),
    LOADING_TEST("V17", rh_v17_texts, "descriptor: names and texts"),
    LOADING_TEST("V18", rh_v18_functions, "descriptor: functions are present"),
    LOADING_TEST("V19", rh_v19_params, "descriptor: parameters"),
    LOADING_TEST("V20", rh_v20_promises, "descriptor: promises are known and consistent"),
    RUN_TEST("V21", rh_v21_constant, "descriptor: unchanged after a whole run", 0.2, 0.1),

    QUERY_TEST("V22", rh_v22_pure, "query: the same answer 10^5 times, no allocation, no OpenCL"),
    {"V59", "query: depends on nothing but the question", rh_v59_depends_only_on_question,
     RH_NEEDS_NOTHING, RH_OF_STRATEGY, 2, 20, 1.5, 1.2},
    QUERY_TEST("V23", rh_v23_matrix, "query: every type, operator and device"),
    QUERY_TEST("V24", rh_v24_reasons, "query: every refusal has a code and a reason"),
    QUERY_TEST("V25", rh_v25_unknown, "query: unknown types are declined"),
    QUERY_TEST("V26", rh_v26_ends_of_ranges,
               "query: safe with parameters at the ends of their ranges"),
    RUN_TEST("V27", rh_v27_starved, "query: limited devices are declined or served", 4, 0.1),
    RUN_TEST("V28", rh_v28_keeps_promise, "query: setup succeeds if accepted, fails if declined", 7,
             0.1),
    RUN_TEST("V29", rh_v29_forecast, "query: launches, device and local memory as declared", 0.3,
             0.5),
    QUERY_TEST("V30", rh_v30_threads, "query: eight concurrent threads agree"),

    RUN_TEST("V31", rh_v31_no_run, "setup and teardown without a run", 0.2, 0.1),
    RUN_TEST("V32", rh_v32_runs, "thousands of runs: same results, no memory growth", 1, 0.3),
    RUN_TEST("V33", rh_v33_faults, "each host service fails in turn: an error and no leak", 1.5,
             0.2),
    RUN_TEST("V34", rh_v34_references, "OpenCL's reference counts balance", 0.2, 0.1),
    RUN_TEST("V35", rh_v35_states, "host services only in their phase, floating point preserved",
             0.2, 0.1),
    RUN_TEST("V36", rh_v36_afterwards, "nothing happens after teardown", 0.2, 0.1),
    RUN_TEST("V37", rh_v37_instances, "two instances, in turn and on two threads", 0.2, 0.1),
    RUN_TEST("V38", rh_v38_older_host, "structs as small as in 1.0", 0.2, 0.1),
    RUN_TEST("V39", rh_v39_newer_host, "structs larger than today's", 0.2, 0.1),
    RUN_TEST("V40", rh_v40_recovers, "the run after a failed one is right", 0.2, 0.1),

    RUN_TEST("V41", rh_v41_nothing, "n = 0 gives the identity", 0.5, 0.1),
    RUN_TEST("V42", rh_v42_exact, "tier 1: exact for every operator and type", 12, 0.3),
    RUN_TEST("V43", rh_v43_bound, "tier 2: within the bound of the declared depth", 1, 0.1),
    RUN_TEST("V44", rh_v44_smaller, "a smaller n after a larger one, and any part of the most", 4,
             0.3),
    RUN_TEST("V45", rh_v45_offsets, "the range may begin anywhere", 1, 0.1),
    RUN_TEST("V46", rh_v46_input, "the input is not written", 0.8, 0.1),
    RUN_TEST("V47", rh_v47_neighbours, "writes its result and nothing next to it", 0.8, 0.1),
    RUN_TEST("V48", rh_v48_poison, "elements outside the range do not matter", 1, 0.1),
    RUN_TEST("V49", rh_v49_order, "keeps the order as promised", 0.2, 0.1),
    RUN_TEST("V50", rh_v50_determinism, "the same bits as promised", 8, 1),
    RUN_TEST("V51", rh_v51_specials, "NaN, infinities, zeros of both signs, subnormals", 0.7, 0.3),
    RUN_TEST("V52", rh_v52_depth, "no element exceeds the declared depth", 4, 0.4),
    RUN_TEST("V53", rh_v53_random, "random cases", 30, 0.5),
    RUN_TEST("V54", rh_v54_params, "parameters at their ends and at random points", 6, 1),
    RUN_TEST("V55", rh_v55_rebuild, "parameters that change code are declared", 0.5, 0.1),
    RUN_TEST("V56", rh_v56_enqueues, "run only enqueues", 0.2, 0.1),
    RUN_TEST("V57", rh_v57_build_error, "a build error is reported with its location", 1, 0.1),

    RUN_TEST("V58", rh_v58_footprint, "setup, run and teardown leave the process unchanged", 2,
             0.7),
    RUN_TEST("V60", rh_v60_places, "one instance in many places, next to others", 3, 0.4),
    RUN_TEST("V65", rh_v65_canonical, "the canonical order as promised", 2, 0.5),
    RUN_TEST("V66", rh_v66_operands, "several operands, constants and the index, as it says", 4,
             1.5),
    RUN_TEST("V67", rh_v67_any_value, "values of 12, 24 and 128 bytes, as it says", 4, 1.5),
    RUN_TEST("V68", rh_v68_large_in_order, "large values in order, as promised", 2, 0.8),
    RUN_TEST("V69", rh_v69_named, "the operator that is named", 2, 1),
    {"V61", "more elements than fit 24, 31 and 32 bits", rh_v61_huge, RH_NEEDS_DEVICE,
     RH_OF_STRATEGY, 1, 600, 20, 0.1},
    RUN_TEST("V62", rh_v62_edges, "reads nothing outside the input", 6, 0.4),
    RUN_TEST("V63", rh_v63_memory, "stays within the memory that it requested", 4, 0.3),
    {"V64", "no access out of bounds and no data race, by Oclgrind", rh_v64_interpreter,
     RH_NEEDS_INTERPRETER, RH_OF_STRATEGY, 1, 120, 5, 0.7},
    RUN_TEST("V84", rh_v84_schedule, "work-items and groups in any order", 4, 0.3),

    TRANSPORT_TEST("V70", rh_v70_descriptor, "transport: descriptor"),
    TRANSPORT_TEST("V71", rh_v71_probe, "transport: probe gives an answer and a sentence"),
    TRANSPORT_TEST("V72", rh_v72_probe_changes_nothing,
                   "transport: probe leaves the process unchanged"),
    TRANSPORT_TEST("V73", rh_v73_alone, "transport: a job of one rank"),
    JOB_TEST("V74", rh_v74_places, "transport: ranks and local ranks", 1, 5, 2),
    JOB_TEST("V75", rh_v75_gathers, "transport: gather of any size, by rank", 1, 6, 2),
    JOB_TEST("V76", rh_v76_many_gathers, "transport: many gathers, on busy processors", 1, 4, 4),
    JOB_TEST("V77", rh_v77_waits_for_late, "transport: gather waits for a rank that is late", 1, 3,
             3),
    JOB_TEST("V78", rh_v78_killed, "transport: a rank that is killed ends all", 2, 4, 4),
    JOB_TEST("V79", rh_v79_stopped, "transport: a rank that is stopped ends all", 2, 8, 8),
    JOB_TEST("V80", rh_v80_leaves, "transport: a rank that ends without close ends all", 2, 4, 4),
    JOB_TEST("V81", rh_v81_aborts, "transport: abort ends all ranks", 2, 4, 4),
    JOB_TEST("V82", rh_v82_closes, "transport: close lets each rank leave in its own time", 1, 3,
             3),
    JOB_TEST("V83", rh_v83_state,
             "transport: floating point, locale, directory and file mode mask stay", 1, 1, 1),
};

const rh_test *rh_tests(uint32_t *n) {
  *n = sizeof tests / sizeof *tests;
  return tests;
}
