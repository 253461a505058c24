
#include "../engine/reduction/reduction.h"
#include "options.h"

#define IN        RH_IN_MODE
#define LOOKING   (IN(LIST) | IN(DEVICES) | IN(INFO) | IN(SUMMARY))
#define TIMING    (IN(BENCH) | IN(TUNE))
#define OPERATORS (IN(RUN) | IN(LIST) | IN(INFO) | TIMING | IN(VERIFY) | IN(VERIFY_OP))
#define TOUCHING  (IN(RUN) | IN(VERIFY) | TIMING)
#define NEW       (IN(NEW_PLUGIN) | IN(NEW_OPERATOR) | IN(NEW_TRANSPORT))
#define PLUGINS                                                                                    \
  (IN(MERGE) | IN(LIST) | IN(OPS) | IN(INFO) | IN(SUMMARY) | IN(VERIFY_OP) | NEW | TOUCHING)
#define DEVICES    (LOOKING | IN(MERGE) | TOUCHING | IN(VERIFY_OP))
#define FILES      (IN(COMPARE) | IN(PLOT) | IN(MERGE))
#define EVERYWHERE (DEVICES | FILES | IN(OPS))

#define TEXT_OF(number) AS_TEXT(number)
#define AS_TEXT(number) #number
#define LEAST_CHUNK     TEXT_OF(RH_STREAM_LEAST_MIB)
#define MOST_CHUNK      TEXT_OF(RH_STREAM_MOST_MIB)
#define DEVICE_CHUNK    TEXT_OF(RH_STREAM_DEVICE_MIB)

/* Rows; behind the text, .letter, .section, .words and .range where an option has them. */
#define ROW(name, kind, argument, value, offset, ...)                                              \
  { name, RH_OPTION_##kind, argument, value, offset, .doc = __VA_ARGS__ }
#define MODE(name, mode, ...) ROW(name, MODE, NULL, RH_MODE_##mode, 0, __VA_ARGS__)
#define MODE_WORD(name, mode, argument, ...)                                                       \
  ROW(name, MODE, argument, RH_MODE_##mode, 0, __VA_ARGS__)
#define FLAG(name, field, modes, ...)                                                              \
  ROW(name, FLAG, NULL, modes, offsetof(rh_typed, field), __VA_ARGS__)
#define WORD(name, field, argument, modes, ...)                                                    \
  ROW(name, WORD, argument, modes, offsetof(rh_typed, field), __VA_ARGS__)
#define WORDS(name, field, argument, modes, ...)                                                   \
  ROW(name, WORDS, argument, modes, offsetof(rh_typed, field), __VA_ARGS__)
#define MAYBE_WORD(name, field, argument, modes, ...)                                              \
  ROW(name, MAYBE_WORD, argument, modes, offsetof(rh_typed, field), __VA_ARGS__)

const rh_option rh_option_table[] = {
    MODE("list", LIST, "list strategies, and whether each can run here", .letter = 'l',
         .section = "Modes (one; with none, a summary of this machine)"),
    MODE("ops", OPS, "list operators"),
    MODE_WORD("run", RUN, "NAME",
              "reduce with strategy NAME, or `auto' for the best one; A,B: with each, side by side",
              .letter = 'r'),
    MODE("bench", BENCH, "benchmark strategies over sizes", .letter = 'b'),
    MODE("devices", DEVICES, "list OpenCL devices"),
    MODE_WORD("info", INFO, "NAME", "describe one strategy or operator"),
    MODE("verify", VERIFY,
         "run the conformance tests on a strategy, a transport, or a file of either [all "
         "installed strategies]"),
    MODE("verify-op", VERIFY_OP,
         "is an operator, by name, file or --reduce, what it claims to be? Else a counterexample"),
    MODE("tune", TUNE, "find the best parameters for this device, keep them"),
    MODE_WORD("new-plugin", NEW_PLUGIN, "NAME [DIR]",
              "create a plugin from a template in DIR [./NAME]"),
    MODE_WORD(
        "new-operator", NEW_OPERATOR, "NAME [DIR]",
        "create DIR/NAME.op.json [.], an operator, from a template; NAME.cl: one in OpenCL C"),
    MODE_WORD("new-transport", NEW_TRANSPORT, "NAME [DIR]",
              "create a transport from a template in DIR [./NAME]"),
    MODE_WORD("compare", COMPARE, "OLD NEW", "compare two result files"),
    MODE("merge", MERGE, "merge what --partial wrote: the answer, or one more --partial"),
    MODE_WORD("plot", PLOT, "FILE", "draw a result file (needs Python)"),
    MODE_WORD("completion", COMPLETION, "SHELL", "print completions for bash, zsh or fish"),
    MODE("help", HELP,
         "print what most people need; --help all: everything; --help TOPIC: a section, such as "
         "ranks, or an option",
         .letter = 'h'),
    MODE("version", VERSION, "print the version", .letter = 'V'),

    WORD("device", device, "SPEC", DEVICES | IN(PLOT),
         "index, PLATFORM:INDEX, gpu, cpu, accelerator, or part of a name [the first GPU, else "
         "accelerator, else CPU]; --run, --bench, --tune: several with commas between, gpu:all, "
         "or all; --run shares the data among them",
         .letter = 'd', .section = "Problem"),
    WORD("strategy", strategy, "LIST", TIMING | IN(LIST) | IN(PLOT) | IN(VERIFY),
         "names or globs, `!' excludes: 'tree*,!atomic' [all that can run]; --verify FILE: the "
         "one to test; --list takes them as operands, too",
         .letter = 's'),
    WORD("size", size, "SIZES", IN(RUN) | TIMING,
         "elements: 1000000, 1e6, 16Mi, 2^24, 64MiB (bytes) [2^24]; --bench, --tune: lists, and "
         "ranges A:B (doubling), A:B:xM, A:B:+S [2^10:2^28; --tune: 2^10:2^28:x8]",
         .letter = 'n'),
    WORD("op", texts.op, "OP",
         IN(RUN) | IN(LIST) | IN(INFO) | TIMING | IN(PLOT) | IN(VERIFY) | IN(VERIFY_OP),
         "sum prod min max argmin argmax and or xor affine asum amax argamax (of magnitudes) "
         "[sum]; --run, --list, --bench, --tune: one of --ops, or a file; --bench, --tune: a "
         "list of these; --run: several in one pass, min,max,sum; --verify: one that is tried, "
         "too"),
    WORD("type", type, "TYPE",
         IN(RUN) | IN(LIST) | IN(INFO) | TIMING | IN(PLOT) | IN(VERIFY) | IN(VERIFY_OP),
         "i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64 [f32]", .letter = 't'),
    WORD("input", input, "FILE", IN(RUN),
         ".npy, or raw with --type; `-' is standard input; without a mode: --run auto, also of "
         "data on standard input; several for --map: x.npy,y.npy.  Operands are files, too",
         .letter = 'i'),
    WORD("map", texts.map, "EXPR", OPERATORS,
         "reduce an expression of the elements, as in C: 'x*y' with --input x.npy,y.npy; i is "
         "the index, n the number of elements"),
    WORD("where", texts.where, "EXPR", OPERATORS,
         "leave out the elements for which it is false: 'x > 0'"),
    WORDS("let", lets, "NAME=NUMBER", OPERATORS, "a constant for --map and --finalize; repeatable"),
    WORD("reduce", texts.reduce, "EXPR", OPERATORS,
         "combine values a and b, in index order, with --identity: 'a > b ? a : b'"),
    WORD("identity", texts.identity, "EXPR", OPERATORS,
         "--reduce: the value that changes no other"),
    FLAG("commutes", texts.commutes, OPERATORS, "--reduce: a and b may be exchanged"),
    WORD("finalize", texts.finalize, "EXPRS", OPERATORS,
         "print these, of the result a, or of a.0, a.1 and so on, and of n: 'mean = a/n'"),
    WORD("initial", texts.initial, "NUMBER", OPERATORS,
         "what sum, prod, min, max, and, or, xor begin with; of no elements, it is the answer"),
    WORD("data", data, "KIND", IN(RUN) | TIMING,
         "uniform equal ramp cancel huge subnormal nan hash onehot units swing zeros infs "
         "descending loguniform least greatest ends two [uniform]"),
    WORD("seed", seed, "N", TOUCHING, "for --data, --verify and --tune [1]",
         .range = {"a whole number from 0 to 2^64-1", 0, 0, UINT64_MAX}),
    ROW("param", SETTING, "KEY=VALUE", IN(RUN) | IN(BENCH), 0,
        "set a strategy parameter (see --info); repeatable", .letter = 'p'),
    FLAG("unchecked-op", unchecked_op, IN(RUN) | TIMING | IN(VERIFY),
         "use an operator whose laws are broken"),
    FLAG("no-check", no_check, IN(RUN), "skip the check against the exact reference"),
    WORD("check", check, "HOW", IN(RUN),
         "full, none, or sampled: of data that are streamed, one chunk in 16 [full]",
         .words = "full sampled none"),
    WORD("accuracy", texts.accuracy, "HOW", IN(RUN),
         "plain, or exact: the exact sum, mean or dot product, rounded once [plain]",
         .words = "plain exact"),
    WORD("result", result, "TYPE", IN(RUN), "f64: the exact sum or mean of f16 or f32 as f64",
         .words = "f64"),
    MAYBE_WORD("stream", stream, "SIZE", IN(RUN),
               "reduce chunk by chunk, in chunks of SIZE bytes [" LEAST_CHUNK "MiB to " MOST_CHUNK
               "MiB, by the processor's cache; a GPU: " DEVICE_CHUNK
               "MiB], as is done with what exceeds memory"),

    WORD("axis", axis, "K", IN(RUN),
         "one result along axis K of a .npy file for each place in the others; -1: the last; "
         "0,2: several",
         .section = "Segments"),
    FLAG("keepdims", keepdims, IN(RUN), "--axis: keep it, with a length of 1"),
    WORD("length", length, "L", IN(RUN) | TIMING,
         "one result for every L elements in a row; --bench, --tune: lists and ranges, as for "
         "--size"),
    WORD("distribution", distribution, "LIST", TIMING,
         "how lengths spread around L: fixed alternate uniform power giant sparse columns, or "
         "all [fixed]"),
    WORD("segments", segments, "FILE", IN(RUN),
         "one for elements o[s] to o[s+1]-1 each, of the offsets o in FILE"),
    WORD("starts", starts, "FILE", IN(RUN),
         "one for each segment from here on, of offsets in FILE,"),
    WORD("stops", stops, "FILE", IN(RUN),
         "up to the element before this: overlaps, gaps and any order"),
    WORD("by", by, "FILE", IN(RUN), "one for each run of equal labels, of the labels in FILE"),

    WORD("partial", partial, "FILE", IN(RUN) | IN(MERGE),
         "write what these elements come to to FILE, for --merge, instead of an answer; -: "
         "standard output",
         .section = "Parts"),
    WORD("state", state, "FILE", IN(RUN),
         "--accuracy exact: go on with the sum that FILE keeps, and keep it there"),
    WORD("slice", slice, "A:B", IN(RUN), "--partial: of elements A to B-1 of the data only"),
    WORD("first", first, "N", IN(RUN),
         "--partial: the first element of the file is number N of the whole [0]"),
    WORD("whole", whole, "N", IN(RUN),
         "--partial: the whole has N elements, which a map that uses n has to know"),

    WORD("transport", transport, "NAME", IN(RUN),
         "share the work with the other processes of a job: mpi, under mpirun; local; or a file",
         .section = "Ranks"),
    WORD("ranks", ranks, "N", IN(RUN), "start N processes of this host that share the work",
         .range = {NULL, 0, 1, RH_LOCAL_MOST_RANKS}),
    FLAG("python", python, IN(NEW_PLUGIN), "--new-plugin: as a Python package too, for pip"),
    FLAG("transports", transports, IN(LIST), "--list: transports instead of strategies"),

    WORD("cache", cache, "STATE", IN(BENCH), "cold or hot: state of the input [cold]",
         .section = "Measuring", .words = "cold hot"),
    WORD("precision", precision, "PCT", IN(BENCH), "aim for +-PCT% on the median [0.5]",
         .range = {"percent, more than 0 and less than 100, as in 2 or 0.5", 100, 0, 0}),
    WORD("max-time", max_time_s, "SEC", IN(BENCH), "time limit for each point [1]",
         .range = {"seconds for each point, more than 0 and less than 1e6, as in 2 or 0.5", 1e6, 0,
                   0}),
    WORD("samples", samples, "MIN[:MAX]", IN(BENCH), "number of samples for each point [20]"),
    WORD("processes", processes, "N", IN(BENCH),
         "measure each point in N processes, one after the other; 8 for results that are to be "
         "compared [1]",
         .range = {NULL, 0, 1, RH_MAX_PROCESSES}),
    WORD("timer", timer, "CLOCK", IN(BENCH), "auto event host [auto]", .words = "auto event host"),
    FLAG("quick", quick, IN(VERIFY) | IN(BENCH),
         "--bench: +-2%, 0.3 s a point; --verify: ten seconds instead of a minute or more"),
    FLAG("thorough", thorough, IN(BENCH), "+-0.2%, 15 s a point"),
    FLAG("strict", strict, IN(BENCH), "exit 7 if a result is noisy or throttled"),
    FLAG("once", once, IN(BENCH), "run each reduction once, for a profiler"),
    WORDS("peer", peers, "PROGRAM", IN(BENCH),
          "also benchmark the implementations that PROGRAM offers; repeatable"),
    FLAG("dry-run", dry_run, IN(BENCH),
         "print what would be measured, its memory and time, and stop"),
    WORD("budget", budget_s, "SEC", IN(TUNE), "--tune: total time limit [60]",
         .range = {"seconds, more than 0 and less than 1e6, as in 300 or 0.5", 1e6, 0, 0}),
    FLAG("fresh", fresh, IN(TUNE), "--tune: repeat earlier measurements"),
    WORD("threshold", threshold, "PCT", IN(COMPARE), "--compare: smallest change that counts [1]",
         .range = {"percent, more than 0 and less than 1000, as in 5 or 0.5", 1000, 0, 0}),

    WORD("include", include, "TESTS", IN(VERIFY), "only these: V01,V10-V15",
         .section = "Verifying"),
    WORD("exclude", exclude, "TESTS", IN(VERIFY), "all but these"),
    FLAG("in-process", in_process, IN(VERIFY), "no child processes, for a debugger"),
    WORD("junit", junit, "FILE", IN(VERIFY), "also write the results as JUnit XML"),
    WORD("launch", launch, "COMMAND", IN(VERIFY),
         "of transports: what starts a job of {n} ranks, as in 'mpirun -n {n}'"),

    FLAG("json", json, EVERYWHERE, "JSON instead of text", .section = "Output"),
    WORD("format", format, "FMT", IN(BENCH), "table markdown csv json jsonl [table]", .letter = 'f',
         .words = "table markdown csv json jsonl"),
    WORDS("output", outputs, "FILE", IN(RUN) | IN(BENCH),
          "--bench: write to FILE instead of standard output; --run: the results of segments as "
          ".npy; NAME=FILE: one of several",
          .letter = 'o'),
    WORDS("export", exports, "FILE", IN(BENCH) | IN(COMPARE) | IN(PLOT),
          "also write FILE, format from its name (.json .jsonl .csv .md .svg .png .pdf .html); "
          "repeatable"),
    WORD("resume", resume, "FILE.jsonl", IN(BENCH), "append, and skip points already there"),
    WORD("picture", picture, "LIST", IN(PLOT), "comma-separated: rate time peak best [all]"),
    FLAG("quiet", quiet, EVERYWHERE & ~IN(SUMMARY), "print values or names only", .letter = 'q'),
    FLAG("verbose", verbose, EVERYWHERE, "also print build logs, parameters and times",
         .letter = 'v'),
    WORD("color", color, "WHEN", EVERYWHERE, "auto always never [auto]",
         .words = "auto always never"),
    WORD("progress", progress, "WHEN", EVERYWHERE, "auto always never [auto]",
         .words = "auto always never"),

    WORD("plugin", plugin, "FILE", PLUGINS,
         "add a plugin, or an operator's file, before all others", .section = "Other"),
    WORD("plugin-path", plugin_path, "DIRS", PLUGINS,
         "directories to search before the installed plugins"),
    WORD("foreign", foreign, "FILE", PLUGINS, "add a strategy: a function that FILE describes"),
    MAYBE_WORD(
        "isolate", isolate, "WHEN", IN(RUN) | IN(MERGE) | TIMING,
        "auto always never [auto]: run the plugin in its own process; auto: unless it came with "
        "redhost",
        .words = "auto always never"),
    WORD("timeout", timeout_s, "SEC", IN(RUN) | IN(MERGE) | IN(VERIFY) | TIMING,
         "kill a plugin's process after SEC seconds of silence [60]",
         .range = {"seconds, more than 0 and less than 1e9, as in 2 or 0.5", 1e9, 0, 0}),
    FLAG("no-cache", no_cache, TOUCHING | IN(MERGE) | IN(VERIFY_OP),
         "neither read nor write the cache"),
    FLAG("no-measure", no_measure, IN(RUN),
         "auto: without a short measurement (0.3 s, once) where little is known of this machine"),
    WORD("cache-dir", cache_dir, "DIR", TOUCHING | IN(MERGE) | IN(VERIFY_OP),
         "[$XDG_CACHE_HOME/redhost]"),
};

#define CUT "axis length segments starts by"

const rh_pairing rh_pairings[] = {
    {0, "size data seed", "input", "a file brings its own size and elements"},
    {0, "check", "no-check", "--no-check is --check=none"},
    {0, "plugin", "foreign", "several files go into a directory for --plugin-path"},
    {0, "quiet", "verbose", "the one prints less, the other more"},
    {0, "quick", "thorough", "the one takes less time, the other more"},
    {0, "strategy", "run", "--run NAME is the strategy, and --run A,B runs several"},
    {0, "state", "partial", "the one keeps the sum for a next run, the other a part for --merge"},
    {0, "state partial", CUT,
     "a file of --partial or --state has one value, and not one for each segment"},
    {0, CUT, CUT, "each says alone which elements make a segment"},
    {0, "stops", "axis length segments by", "each says alone which elements make a segment"},
    {0, "accuracy=exact", "check=sampled check=none no-check",
     "the exact answer is computed for --check=full"},
    {0, "result", "map where reduce finalize initial", "a map says (f64)x itself"},
    {0, "json", "partial=-", "both would write to standard output; name a file"},
    {0, "json", "format=table format=markdown format=csv format=jsonl", "--json is --format=json"},
    {0, "processes", "isolate=never once", "strategies are measured in processes of their own"},
    {0, "input=-", "partial transport ranks", "processes cannot share standard input; name a file"},
    {0, "input", "bench", "it measures generated elements; --run NAME -i FILE -v measures a file"},
    {IN(RUN), "state", "accuracy=exact", "it keeps an exact sum"},
    {IN(RUN), "result", "accuracy=exact", "it is the exact answer, rounded to f64"},
    {IN(RUN), "transport=local", "ranks partial", "how many it starts, as in --ranks 4"},
    {IN(RUN), "slice first whole", "partial", "it writes what a part comes to"},
    {IN(RUN), "first", "input",
     "it says where a file begins in the whole; of generated data, which are the whole, --slice "
     "names a part"},
    {IN(RUN), "keepdims", "axis", "it keeps this axis, with a length of 1"},
    {IN(RUN), "axis", "input", "generated data have one dimension; --length cuts them"},
    {IN(RUN), "by", "input", "labels are those of a file's elements; --length cuts generated data"},
    {IN(RUN), "starts", "stops", "where each segment begins, and where it stops"},
    {IN(RUN), "stops", "starts", "where each segment begins, and where it stops"},
    {IN(RUN), "output", CUT,
     "it writes the results of segments; -q prints a value alone and --json all of it, as in "
     "redhost x.npy -q > sum"},
    {TIMING, "distribution", "length",
     "which is the typical length of a segment, as in --length 1:2^10:x4"},
    {IN(PLOT), "json", "export", "it lists the files that --export writes"},
    {0, NULL, NULL, NULL}};

const rh_operand_rule rh_operand_table[] = {
    {IN(COMPARE), 1, 1, "two files, as in --compare old.json new.json"},
    {IN(MERGE), 1, UINT32_MAX, "files that --partial wrote"},
    {IN(VERIFY) | IN(VERIFY_OP), 0, RH_MAX_OPERANDS, "at most 64 names or files at once"},
    {IN(LIST), 0, UINT32_MAX, "names or globs"},
    {IN(HELP), 0, 1, "one topic, as in --help measuring"},
    {NEW, 0, 1, "a name and one directory"},
    {~0u, 0, 0, NULL}};

_Static_assert(sizeof rh_option_table / sizeof *rh_option_table <= RH_MOST_OPTIONS,
               "arrays of the parser are large enough");
const size_t rh_n_options = sizeof rh_option_table / sizeof *rh_option_table;

const rh_option *rh_option_find(const char *name) {
  for (size_t k = 0; k < rh_n_options; k++)
    if (strcmp(rh_option_table[k].name, name) == 0) return &rh_option_table[k];
  return NULL;
}

const rh_option_note rh_options_environment[] = {
    {"REDHOST_DEVICE", "as --device"},
    {"REDHOST_OPENCL", "the file of the OpenCL library, instead of the loader's libOpenCL.so.1"},
    {"REDHOST_PLUGIN_PATH", "as --plugin-path, and searched after it"},
    {"REDHOST_PLUGIN_DISABLE",
     "comma-separated names of plugin files, operator files or strategies to disable, with * and "
     "?; strategies that came with redhost stay enabled"},
    {"REDHOST_TRANSPORT_PATH", "directories to search for transports, before the installed ones"},
    {"REDHOST_MPI_LIBRARY", "the file of the MPI library, if the loader does not find it"},
    {"REDHOST_CACHE_DIR", "as --cache-dir"},
    {"REDHOST_BUILD_OPTIONS", "options for every build of an OpenCL program, before the plugin's"},
    {"REDHOST_NO_CACHE", "as --no-cache"},
    {"REDHOST_NO_MEASURE", "as --no-measure"},
    {"NO_COLOR", "as --color=never"},
    {"CLICOLOR_FORCE", "as --color=always"},
    {"CLICOLOR", "0 is as --color=never"},
    {NULL, NULL}};

const rh_option_note rh_options_statuses[] = {
    {"0", "done"},
    {"1", "wrong result, failed test or regression"},
    {"2", "usage"},
    {"3", "no device, or one that cannot hold the problem"},
    {"4", "strategy cannot run here"},
    {"5", "OpenCL or plugin failure"},
    {"6", "file error"},
    {"7", "too noisy (--strict)"},
    {"130", "interrupted"},
    {NULL, NULL}};
