/* The tests of docs/extend/verify.md. */
#pragma once

/* Each kind of test says what it needs, what it is of, in how many processes it runs, how long it
 * may be silent, and what it usually takes: in full, and with --quick. */
#define RH_FILE_TEST             RH_NEEDS_NOTHING, RH_OF_FILE, 1, 20, 0.05, 0.05
#define RH_LOADING_TEST          RH_NEEDS_NOTHING, RH_OF_PLUGIN, 1, 20, 0.05, 0.05
#define RH_QUERY_TEST            RH_NEEDS_PLUGIN, RH_OF_STRATEGY, 1, 20, 0.3, 0.1
#define RH_RUN_TEST(s, quick)    RH_NEEDS_DEVICE, RH_OF_STRATEGY, 1, 60, s, quick
#define RH_TRANSPORT_TEST        RH_NEEDS_NOTHING, RH_OF_TRANSPORT, 1, 20, 0.1, 0.1
#define RH_JOB_TEST(n, s, quick) RH_NEEDS_NOTHING, RH_OF_TRANSPORT, n, 120, s, quick

/* clang-format off */
#define RH_TEST_LIST(X) \
  X("V01", v01_machine, "built for this machine", RH_FILE_TEST) \
  X("V02", v02_exports, "exports its descriptor and nothing else", RH_FILE_TEST) \
  X("V03", v03_undefined, "every undefined symbol is in a library that it names", RH_FILE_TEST) \
  X("V04", v04_needed, "needs only ordinary libraries", RH_FILE_TEST) \
  X("V05", v05_static_tls, "no static thread-local storage", RH_FILE_TEST) \
  X("V06", v06_hardened, "no text relocations, no executable stack, RELRO", RH_FILE_TEST) \
  X("V07", v07_unique, "no unique symbols, which keep a library loaded", RH_FILE_TEST) \
  X("V08", v08_rpath, "no run path that is empty, relative or writable by others", RH_FILE_TEST) \
  X("V09", v09_imports, "imports no function that needs a reason", RH_LOADING_TEST) \
  X("V10", v10_loads, "loads quickly and silently", RH_FILE_TEST) \
  X("V11", v11_fpstate, "loading preserves the floating-point environment", RH_FILE_TEST) \
  X("V12", v12_locale, "works in a locale with a decimal comma, and does not change it", \
    RH_NEEDS_NOTHING, RH_OF_STRATEGY, 1, 60, 0.3, 0.1) \
  X("V13", v13_process, "loading and queries leave the process unchanged", RH_LOADING_TEST) \
  X("V14", v14_entry, "the descriptor is its own, even next to other plugins", \
    RH_NEEDS_NOTHING, RH_OF_PLUGIN, 3, 20, 0.1, 0.1) \
  X("V15", v15_unloads, "unloads if declared, ten times", RH_LOADING_TEST) \
  X("V16", v16_version, "descriptor: magic, sizes, versions, flags", RH_LOADING_TEST) \
  X("V17", v17_texts, "descriptor: names and texts", RH_LOADING_TEST) \
  X("V18", v18_functions, "descriptor: functions are present", RH_LOADING_TEST) \
  X("V19", v19_params, "descriptor: parameters", RH_LOADING_TEST) \
  X("V20", v20_promises, "descriptor: promises are known and consistent", RH_LOADING_TEST) \
  X("V21", v21_constant, "descriptor: unchanged after a whole run", RH_RUN_TEST(0.2, 0.1)) \
  X("V22", v22_pure, "query: the same answer 10^5 times, no allocation, no OpenCL", RH_QUERY_TEST) \
  X("V59", v59_depends_only_on_question, "query: depends on nothing but the question", \
    RH_NEEDS_NOTHING, RH_OF_STRATEGY, 2, 20, 1.5, 1.2) \
  X("V23", v23_matrix, "query: every type, operator and device", RH_QUERY_TEST) \
  X("V24", v24_reasons, "query: every refusal has a code and a reason", RH_QUERY_TEST) \
  X("V25", v25_unknown, "query: unknown types are declined", RH_QUERY_TEST) \
  X("V26", v26_ends_of_ranges, "query: safe with parameters at the ends of their ranges", \
    RH_QUERY_TEST) \
  X("V27", v27_starved, "query: limited devices are declined or served", RH_RUN_TEST(4, 0.1)) \
  X("V28", v28_keeps_promise, "query: setup succeeds if accepted, fails if declined", \
    RH_RUN_TEST(7, 0.1)) \
  X("V29", v29_forecast, "query: launches, device and local memory as declared", \
    RH_RUN_TEST(0.3, 0.5)) \
  X("V30", v30_threads, "query: eight concurrent threads agree", RH_QUERY_TEST) \
  X("V31", v31_no_run, "setup and teardown without a run", RH_RUN_TEST(0.2, 0.1)) \
  X("V32", v32_runs, "thousands of runs: same results, no memory growth", RH_RUN_TEST(1, 0.3)) \
  X("V33", v33_faults, "each host service fails in turn: an error and no leak", \
    RH_RUN_TEST(1.5, 0.2)) \
  X("V34", v34_references, "OpenCL's reference counts balance", RH_RUN_TEST(0.2, 0.1)) \
  X("V35", v35_states, "host services only in their phase, floating point preserved", \
    RH_RUN_TEST(0.2, 0.1)) \
  X("V36", v36_afterwards, "nothing happens after teardown", RH_RUN_TEST(0.2, 0.1)) \
  X("V37", v37_instances, "two instances, in turn and on two threads", RH_RUN_TEST(0.2, 0.1)) \
  X("V38", v38_older_host, "structs as small as in 1.0", RH_RUN_TEST(0.2, 0.1)) \
  X("V39", v39_newer_host, "structs larger than today's", RH_RUN_TEST(0.2, 0.1)) \
  X("V40", v40_recovers, "the run after a failed one is right", RH_RUN_TEST(0.2, 0.1)) \
  X("V41", v41_nothing, "n = 0 gives the identity", RH_RUN_TEST(0.5, 0.1)) \
  X("V42", v42_exact, "tier 1: exact for every operator and type", RH_RUN_TEST(12, 0.3)) \
  X("V43", v43_bound, "tier 2: within the bound of the declared depth", RH_RUN_TEST(1, 0.1)) \
  X("V44", v44_smaller, "a smaller n after a larger one, and any part of the most", \
    RH_RUN_TEST(4, 0.3)) \
  X("V45", v45_offsets, "the range may begin anywhere", RH_RUN_TEST(1, 0.1)) \
  X("V46", v46_input, "the input is not written", RH_RUN_TEST(0.8, 0.1)) \
  X("V47", v47_neighbours, "writes its result and nothing next to it", RH_RUN_TEST(0.8, 0.1)) \
  X("V48", v48_poison, "elements outside the range do not matter", RH_RUN_TEST(1, 0.1)) \
  X("V49", v49_order, "keeps the order as promised", RH_RUN_TEST(0.2, 0.1)) \
  X("V50", v50_determinism, "the same bits as promised", RH_RUN_TEST(8, 1)) \
  X("V51", v51_specials, "NaN, infinities, zeros of both signs, subnormals", \
    RH_RUN_TEST(0.7, 0.3)) \
  X("V52", v52_depth, "no element exceeds the declared depth", RH_RUN_TEST(4, 0.4)) \
  X("V53", v53_random, "random cases", RH_RUN_TEST(30, 0.5)) \
  X("V54", v54_params, "parameters at their ends and at random points", RH_RUN_TEST(6, 1)) \
  X("V55", v55_rebuild, "parameters that change code are declared", RH_RUN_TEST(0.5, 0.1)) \
  X("V56", v56_enqueues, "run only enqueues", RH_RUN_TEST(0.2, 0.1)) \
  X("V57", v57_build_error, "a build error is reported with its location", RH_RUN_TEST(1, 0.1)) \
  X("V58", v58_footprint, "setup, run and teardown leave the process unchanged", \
    RH_RUN_TEST(2, 0.7)) \
  X("V60", v60_places, "one instance in many places, next to others", RH_RUN_TEST(3, 0.4)) \
  X("V65", v65_canonical, "the canonical order as promised", RH_RUN_TEST(2, 0.5)) \
  X("V66", v66_operands, "several operands, constants and the index, as it says", \
    RH_RUN_TEST(4, 1.5)) \
  X("V67", v67_any_value, "values of 12, 24 and 128 bytes, as it says", RH_RUN_TEST(4, 1.5)) \
  X("V68", v68_large_in_order, "large values in order, as promised", RH_RUN_TEST(2, 0.8)) \
  X("V69", v69_named, "the operator that is named", RH_RUN_TEST(2, 1)) \
  X("V61", v61_huge, "more elements than fit 24, 31 and 32 bits", \
    RH_NEEDS_DEVICE, RH_OF_STRATEGY, 1, 600, 20, 0.1) \
  X("V62", v62_edges, "reads nothing outside the input", RH_RUN_TEST(6, 0.4)) \
  X("V63", v63_memory, "stays within the memory that it requested", RH_RUN_TEST(4, 0.3)) \
  X("V64", v64_interpreter, "no access out of bounds and no data race, by Oclgrind", \
    RH_NEEDS_INTERPRETER, RH_OF_STRATEGY, 1, 120, 5, 0.7) \
  X("V84", v84_schedule, "work-items and groups in any order", RH_RUN_TEST(4, 0.3)) \
  X("V85", v85_layouts, "every segment of a layout as if it were alone, as promised", \
    RH_RUN_TEST(3, 0.5)) \
  X("V70", v70_descriptor, "transport: descriptor", RH_TRANSPORT_TEST) \
  X("V71", v71_probe, "transport: probe gives an answer and a sentence", RH_TRANSPORT_TEST) \
  X("V72", v72_probe_changes_nothing, "transport: probe leaves the process unchanged", \
    RH_TRANSPORT_TEST) \
  X("V73", v73_alone, "transport: a job of one rank", RH_TRANSPORT_TEST) \
  X("V74", v74_places, "transport: ranks and local ranks", RH_JOB_TEST(1, 5, 2)) \
  X("V75", v75_gathers, "transport: gather of any size, by rank", RH_JOB_TEST(1, 6, 2)) \
  X("V76", v76_many_gathers, "transport: many gathers, on busy processors", RH_JOB_TEST(1, 4, 4)) \
  X("V77", v77_waits_for_late, "transport: gather waits for a rank that is late", \
    RH_JOB_TEST(1, 3, 3)) \
  X("V78", v78_killed, "transport: a rank that is killed ends all", RH_JOB_TEST(2, 4, 4)) \
  X("V79", v79_stopped, "transport: a rank that is stopped ends all", RH_JOB_TEST(2, 8, 8)) \
  X("V80", v80_leaves, "transport: a rank that ends without close ends all", RH_JOB_TEST(2, 4, 4)) \
  X("V81", v81_aborts, "transport: abort ends all ranks", RH_JOB_TEST(2, 4, 4)) \
  X("V82", v82_closes, "transport: close lets each rank leave in its own time", \
    RH_JOB_TEST(1, 3, 3)) \
  X("V83", v83_state, "transport: floating point, locale, directory and file mode mask stay", \
    RH_JOB_TEST(1, 1, 1))
/* clang-format on */
