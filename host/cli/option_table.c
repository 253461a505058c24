#include "../engine/ranks/local.h"
#include "../engine/reduction/worker.h"
#include "../tools/records/records.h"
#include "options.h"

#include <string.h>

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

#define AT(field) .offset = offsetof(rh_typed, field)

const rh_option rh_option_table[] = {
    {"list", 'l', RH_OPTION_MODE, NULL, "Modes (one; with none, a summary of this machine)",
     "list strategies, and whether each can run here", RH_MODE_LIST, .offset = 0},
    {"ops", 0, RH_OPTION_MODE, NULL, NULL, "list operators", RH_MODE_OPS, .offset = 0},
    {"run", 'r', RH_OPTION_MODE_WORD, "NAME", NULL,
     "reduce with strategy NAME, or `auto' for the best one;\nA,B: with each, side by side",
     RH_MODE_RUN, .offset = 0},
    {"bench", 'b', RH_OPTION_MODE, NULL, NULL, "benchmark strategies over sizes", RH_MODE_BENCH,
     .offset = 0},
    {"devices", 0, RH_OPTION_MODE, NULL, NULL, "list OpenCL devices", RH_MODE_DEVICES, .offset = 0},
    {"info", 0, RH_OPTION_MODE_WORD, "NAME", NULL, "describe one strategy or operator",
     RH_MODE_INFO, .offset = 0},
    {"verify", 0, RH_OPTION_MODE, NULL, NULL,
     "run the conformance tests on a strategy, a transport, or\na file of either [all installed "
     "strategies]",
     RH_MODE_VERIFY, .offset = 0},
    {"verify-op", 0, RH_OPTION_MODE, NULL, NULL,
     "is an operator, by name, file or --reduce, what it\nclaims to be? Else a counterexample",
     RH_MODE_VERIFY_OP, .offset = 0},
    {"tune", 0, RH_OPTION_MODE, NULL, NULL, "find the best parameters for this device, keep them",
     RH_MODE_TUNE, .offset = 0},
    {"new-plugin", 0, RH_OPTION_MODE_WORD, "NAME [DIR]", NULL,
     "create a plugin from a template in DIR [./NAME]", RH_MODE_NEW_PLUGIN, .offset = 0},
    {"new-operator", 0, RH_OPTION_MODE_WORD, "NAME [DIR]", NULL,
     "create DIR/NAME.op.json [.], an operator, from a\ntemplate; NAME.cl: one in OpenCL C",
     RH_MODE_NEW_OPERATOR, .offset = 0},
    {"new-transport", 0, RH_OPTION_MODE_WORD, "NAME [DIR]", NULL,
     "create a transport from a template in DIR [./NAME]", RH_MODE_NEW_TRANSPORT, .offset = 0},
    {"compare", 0, RH_OPTION_MODE_WORD, "OLD NEW", NULL, "compare two result files",
     RH_MODE_COMPARE, .offset = 0},
    {"merge", 0, RH_OPTION_MODE, NULL, NULL,
     "merge what --partial wrote: the answer, or one more\n--partial", RH_MODE_MERGE, .offset = 0},
    {"plot", 0, RH_OPTION_MODE_WORD, "FILE", NULL, "draw a result file (needs Python)",
     RH_MODE_PLOT, .offset = 0},
    {"completion", 0, RH_OPTION_MODE_WORD, "SHELL", NULL, "print completions for bash, zsh or fish",
     RH_MODE_COMPLETION, .offset = 0},
    {"help", 'h', RH_OPTION_MODE, NULL, NULL,
     "print what most people need; --help all: everything;\n--help TOPIC: a section, such as "
     "ranks, or an option",
     RH_MODE_HELP, .offset = 0},
    {"version", 'V', RH_OPTION_MODE, NULL, NULL, "print the version", RH_MODE_VERSION, .offset = 0},

    {"device", 'd', RH_OPTION_WORD, "SPEC", "Problem",
     "index, PLATFORM:INDEX, gpu, cpu, accelerator, or part\n"
     "of a name [the first GPU, else accelerator, else CPU];\n"
     "--run, --bench, --tune: several with commas between,\n"
     "gpu:all, or all; --run shares the data among them",
     DEVICES | IN(PLOT), AT(device)},
    {"strategy", 's', RH_OPTION_WORD, "LIST", NULL,
     "names or globs, `!' excludes: 'tree*,!atomic' [all that\n"
     "can run]; --verify FILE: the one to test; --list takes\nthem as operands, too",
     TIMING | IN(LIST) | IN(PLOT) | IN(VERIFY), AT(strategy)},
    {"size", 'n', RH_OPTION_WORD, "SIZES", NULL,
     "elements: 1000000, 1e6, 16Mi, 2^24, 64MiB (bytes)\n"
     "[2^24]; --bench, --tune: lists, and ranges A:B\n"
     "(doubling), A:B:xM, A:B:+S [2^10:2^28; --tune:\n2^10:2^28:x8]",
     IN(RUN) | TIMING, AT(size)},
    {"op", 0, RH_OPTION_WORD, "OP", NULL,
     "sum prod min max argmin argmax and or xor affine\n"
     "asum amax argamax (of magnitudes) [sum]; --run, --list,\n"
     "--bench, --tune: one of --ops, or a file; --bench,\n"
     "--tune: a list of these; --run: several in one pass,\n"
     "min,max,sum; --verify: one that is tried, too",
     IN(RUN) | IN(LIST) | IN(INFO) | TIMING | IN(PLOT) | IN(VERIFY) | IN(VERIFY_OP), AT(op)},
    {"type", 't', RH_OPTION_WORD, "TYPE", NULL, "i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64 [f32]",
     IN(RUN) | IN(LIST) | IN(INFO) | TIMING | IN(PLOT) | IN(VERIFY) | IN(VERIFY_OP), AT(type)},
    {"input", 'i', RH_OPTION_WORD, "FILE", NULL,
     ".npy, or raw with --type; `-' is standard input; without\n"
     "a mode: --run auto, also of data on standard input;\n"
     "several for --map: x.npy,y.npy.  Operands are files, too",
     IN(RUN), AT(input)},
    {"map", 0, RH_OPTION_WORD, "EXPR", NULL,
     "reduce an expression of the elements, as in C: 'x*y'\n"
     "with --input x.npy,y.npy; i is the index, n the number of\nelements",
     OPERATORS, AT(map)},
    {"where", 0, RH_OPTION_WORD, "EXPR", NULL,
     "leave out the elements for which it is false: 'x > 0'", OPERATORS, AT(where)},
    {"let", 0, RH_OPTION_WORDS, "NAME=NUMBER", NULL,
     "a constant for --map and --finalize; repeatable", OPERATORS, AT(lets)},
    {"reduce", 0, RH_OPTION_WORD, "EXPR", NULL,
     "combine values a and b, in index order, with --identity:\n'a > b ? a : b'", OPERATORS,
     AT(reduce)},
    {"identity", 0, RH_OPTION_WORD, "EXPR", NULL, "--reduce: the value that changes no other",
     OPERATORS, AT(identity)},
    {"commutes", 0, RH_OPTION_FLAG, NULL, NULL, "--reduce: a and b may be exchanged", OPERATORS,
     AT(commutes)},
    {"finalize", 0, RH_OPTION_WORD, "EXPRS", NULL,
     "print these, of the result a, or of a.0, a.1 and so on,\nand of n: 'mean = a/n'", OPERATORS,
     AT(finalize)},
    {"initial", 0, RH_OPTION_WORD, "NUMBER", NULL,
     "what sum, prod, min, max, and, or, xor begin with;\nof no elements, it is the answer",
     OPERATORS, AT(initial)},
    {"data", 0, RH_OPTION_WORD, "KIND", NULL,
     "uniform equal ramp cancel huge subnormal nan hash\n"
     "onehot units swing zeros infs descending loguniform\nleast greatest ends two [uniform]",
     IN(RUN) | TIMING, AT(data)},
    {"seed", 0, RH_OPTION_WORD, "N", NULL, "for --data, --verify and --tune [1]", TOUCHING,
     AT(seed), .range = {"a whole number from 0 to 2^64-1", 0, 0, UINT64_MAX}},
    {"param", 'p', RH_OPTION_SETTING, "KEY=VALUE", NULL,
     "set a strategy parameter (see --info); repeatable", IN(RUN) | IN(BENCH), .offset = 0},
    {"unchecked-op", 0, RH_OPTION_FLAG, NULL, NULL, "use an operator whose laws are broken",
     IN(RUN) | TIMING | IN(VERIFY), AT(unchecked_op)},
    {"no-check", 0, RH_OPTION_FLAG, NULL, NULL, "skip the check against the exact reference",
     IN(RUN), AT(no_check)},
    {"check", 0, RH_OPTION_WORD, "HOW", NULL,
     "full, none, or sampled: of data that are streamed, one\nchunk in 16 [full]", IN(RUN),
     AT(check), .words = "full sampled none"},
    {"accuracy", 0, RH_OPTION_WORD, "HOW", NULL,
     "plain, or exact: the exact sum, mean or dot product,\nrounded once [plain]", IN(RUN),
     AT(accuracy), .words = "plain exact"},
    {"result", 0, RH_OPTION_WORD, "TYPE", NULL, "f64: the exact sum or mean of f16 or f32 as f64",
     IN(RUN), AT(result), .words = "f64"},
    {"stream", 0, RH_OPTION_MAYBE_WORD, "SIZE", NULL,
     "reduce chunk by chunk, in chunks of SIZE bytes [" LEAST_CHUNK "MiB to\n" MOST_CHUNK
     "MiB, by the processor's cache; a GPU: " DEVICE_CHUNK "MiB], as is\ndone with what exceeds "
     "memory",
     IN(RUN), AT(stream)},

    {"axis", 0, RH_OPTION_WORD, "K", "Segments",
     "one result along axis K of a .npy file for each place in\nthe others; -1: the last; 0,2: "
     "several",
     IN(RUN), AT(axis)},
    {"keepdims", 0, RH_OPTION_FLAG, NULL, NULL, "--axis: keep it, with a length of 1", IN(RUN),
     AT(keepdims)},
    {"length", 0, RH_OPTION_WORD, "L", NULL,
     "one result for every L elements in a row; --bench,\n"
     "--tune: lists and ranges, as for --size",
     IN(RUN) | TIMING, AT(length)},
    {"distribution", 0, RH_OPTION_WORD, "LIST", NULL,
     "how lengths spread around L: fixed alternate uniform\n"
     "power giant sparse columns, or all [fixed]",
     TIMING, AT(distribution)},
    {"segments", 0, RH_OPTION_WORD, "FILE", NULL,
     "one for elements o[s] to o[s+1]-1 each, of the offsets\no in FILE", IN(RUN), AT(segments)},
    {"starts", 0, RH_OPTION_WORD, "FILE", NULL,
     "one for each segment from here on, of offsets in FILE,", IN(RUN), AT(starts)},
    {"stops", 0, RH_OPTION_WORD, "FILE", NULL,
     "up to the element before this: overlaps, gaps and any\norder", IN(RUN), AT(stops)},
    {"by", 0, RH_OPTION_WORD, "FILE", NULL,
     "one for each run of equal labels, of the labels in FILE", IN(RUN), AT(by)},

    {"partial", 0, RH_OPTION_WORD, "FILE", "Parts",
     "write what these elements come to to FILE, for --merge,\ninstead of an answer; -: standard "
     "output",
     IN(RUN) | IN(MERGE), AT(partial)},
    {"state", 0, RH_OPTION_WORD, "FILE", NULL,
     "--accuracy exact: go on with the sum that FILE keeps, and\nkeep it there", IN(RUN),
     AT(state)},
    {"slice", 0, RH_OPTION_WORD, "A:B", NULL, "--partial: of elements A to B-1 of the data only",
     IN(RUN), AT(slice)},
    {"first", 0, RH_OPTION_WORD, "N", NULL,
     "--partial: the first element of the file is number N of\nthe whole [0]", IN(RUN), AT(first)},
    {"whole", 0, RH_OPTION_WORD, "N", NULL,
     "--partial: the whole has N elements, which a map that\nuses n has to know", IN(RUN),
     AT(whole)},

    {"transport", 0, RH_OPTION_WORD, "NAME", "Ranks",
     "share the work with the other processes of a job: mpi,\nunder mpirun; local; or a file",
     IN(RUN), AT(transport)},
    {"ranks", 0, RH_OPTION_WORD, "N", NULL, "start N processes of this host that share the work",
     IN(RUN), AT(ranks), .range = {NULL, 0, 1, RH_LOCAL_MOST_RANKS}},
    {"python", 0, RH_OPTION_FLAG, NULL, NULL, "--new-plugin: as a Python package too, for pip",
     IN(NEW_PLUGIN), AT(python)},
    {"transports", 0, RH_OPTION_FLAG, NULL, NULL, "--list: transports instead of strategies",
     IN(LIST), AT(transports)},

    {"cache", 0, RH_OPTION_WORD, "STATE", "Measuring", "cold or hot: state of the input [cold]",
     IN(BENCH), AT(cache), .words = "cold hot"},
    {"precision", 0, RH_OPTION_WORD, "PCT", NULL, "aim for +-PCT% on the median [0.5]", IN(BENCH),
     AT(precision), .range = {"percent, more than 0 and less than 100, as in 2 or 0.5", 100, 0, 0}},
    {"max-time", 0, RH_OPTION_WORD, "SEC", NULL, "time limit for each point [1]", IN(BENCH),
     AT(max_time_s),
     .range = {"seconds for each point, more than 0 and less than 1e6, as in 2 or 0.5", 1e6, 0, 0}},
    {"samples", 0, RH_OPTION_WORD, "MIN[:MAX]", NULL, "number of samples for each point [20]",
     IN(BENCH), AT(samples)},
    {"processes", 0, RH_OPTION_WORD, "N", NULL,
     "measure each point in N processes, one after the other;\n"
     "8 for results that are to be compared [1]",
     IN(BENCH), AT(processes), .range = {NULL, 0, 1, RH_MAX_PROCESSES}},
    {"timer", 0, RH_OPTION_WORD, "CLOCK", NULL, "auto event host [auto]", IN(BENCH), AT(timer),
     .words = "auto event host"},
    {"quick", 0, RH_OPTION_FLAG, NULL, NULL,
     "--bench: +-2%, 0.3 s a point; --verify: ten seconds\ninstead of a minute or more",
     IN(VERIFY) | IN(BENCH), AT(quick)},
    {"thorough", 0, RH_OPTION_FLAG, NULL, NULL, "+-0.2%, 15 s a point", IN(BENCH), AT(thorough)},
    {"strict", 0, RH_OPTION_FLAG, NULL, NULL, "exit 7 if a result is noisy or throttled", IN(BENCH),
     AT(strict)},
    {"once", 0, RH_OPTION_FLAG, NULL, NULL, "run each reduction once, for a profiler", IN(BENCH),
     AT(once)},
    {"peer", 0, RH_OPTION_WORDS, "PROGRAM", NULL,
     "also benchmark the implementations that PROGRAM\noffers; repeatable", IN(BENCH), AT(peers)},
    {"dry-run", 0, RH_OPTION_FLAG, NULL, NULL,
     "print what would be measured, its memory and time, and\nstop", IN(BENCH), AT(dry_run)},
    {"budget", 0, RH_OPTION_WORD, "SEC", NULL, "--tune: total time limit [60]", IN(TUNE),
     AT(budget_s),
     .range = {"seconds, more than 0 and less than 1e6, as in 300 or 0.5", 1e6, 0, 0}},
    {"fresh", 0, RH_OPTION_FLAG, NULL, NULL, "--tune: repeat earlier measurements", IN(TUNE),
     AT(fresh)},
    {"threshold", 0, RH_OPTION_WORD, "PCT", NULL, "--compare: smallest change that counts [1]",
     IN(COMPARE), AT(threshold),
     .range = {"percent, more than 0 and less than 1000, as in 5 or 0.5", 1000, 0, 0}},

    {"include", 0, RH_OPTION_WORD, "TESTS", "Verifying", "only these: V01,V10-V15", IN(VERIFY),
     AT(include)},
    {"exclude", 0, RH_OPTION_WORD, "TESTS", NULL, "all but these", IN(VERIFY), AT(exclude)},
    {"in-process", 0, RH_OPTION_FLAG, NULL, NULL, "no child processes, for a debugger", IN(VERIFY),
     AT(in_process)},
    {"junit", 0, RH_OPTION_WORD, "FILE", NULL, "also write the results as JUnit XML", IN(VERIFY),
     AT(junit)},
    {"launch", 0, RH_OPTION_WORD, "COMMAND", NULL,
     "of transports: what starts a job of {n} ranks, as in\n'mpirun -n {n}'", IN(VERIFY),
     AT(launch)},

    {"json", 0, RH_OPTION_FLAG, NULL, "Output", "JSON instead of text", EVERYWHERE, AT(json)},
    {"format", 'f', RH_OPTION_WORD, "FMT", NULL, "table markdown csv json jsonl [table]", IN(BENCH),
     AT(format), .words = "table markdown csv json jsonl"},
    {"output", 'o', RH_OPTION_WORDS, "FILE", NULL,
     "--bench: write to FILE instead of standard output;\n--run: the results of segments as .npy; "
     "NAME=FILE: one\nof several",
     IN(RUN) | IN(BENCH), AT(outputs)},
    {"export", 0, RH_OPTION_WORDS, "FILE", NULL,
     "also write FILE, format from its name (.json .jsonl .csv\n.md .svg .png .pdf .html); "
     "repeatable",
     IN(BENCH) | IN(COMPARE) | IN(PLOT), AT(exports)},
    {"resume", 0, RH_OPTION_WORD, "FILE.jsonl", NULL, "append, and skip points already there",
     IN(BENCH), AT(resume)},
    {"picture", 0, RH_OPTION_WORD, "LIST", NULL, "comma-separated: rate time peak best [all]",
     IN(PLOT), AT(picture)},
    {"quiet", 'q', RH_OPTION_FLAG, NULL, NULL, "print values or names only",
     EVERYWHERE & ~IN(SUMMARY), AT(quiet)},
    {"verbose", 'v', RH_OPTION_FLAG, NULL, NULL, "also print build logs, parameters and times",
     EVERYWHERE, AT(verbose)},
    {"color", 0, RH_OPTION_WORD, "WHEN", NULL, "auto always never [auto]", EVERYWHERE, AT(color),
     .words = "auto always never"},
    {"progress", 0, RH_OPTION_WORD, "WHEN", NULL, "auto always never [auto]", EVERYWHERE,
     AT(progress), .words = "auto always never"},

    {"plugin", 0, RH_OPTION_WORD, "FILE", "Other",
     "add a plugin, or an operator's file, before all others", PLUGINS, AT(plugin)},
    {"plugin-path", 0, RH_OPTION_WORD, "DIRS", NULL,
     "directories to search before the installed plugins", PLUGINS, AT(plugin_path)},
    {"foreign", 0, RH_OPTION_WORD, "FILE", NULL, "add a strategy: a function that FILE describes",
     PLUGINS, AT(foreign)},
    {"isolate", 0, RH_OPTION_MAYBE_WORD, "WHEN", NULL,
     "auto always never [auto]: run the plugin in its own\n"
     "process; auto: unless it came with redhost",
     IN(RUN) | IN(MERGE) | TIMING, AT(isolate), .words = "auto always never"},
    {"timeout", 0, RH_OPTION_WORD, "SEC", NULL,
     "kill a plugin's process after SEC seconds of silence\n[60]",
     IN(RUN) | IN(MERGE) | IN(VERIFY) | TIMING, AT(timeout_s),
     .range = {"seconds, more than 0 and less than 1e9, as in 2 or 0.5", 1e9, 0, 0}},
    {"no-cache", 0, RH_OPTION_FLAG, NULL, NULL, "neither read nor write the cache",
     TOUCHING | IN(MERGE) | IN(VERIFY_OP), AT(no_cache)},
    {"no-measure", 0, RH_OPTION_FLAG, NULL, NULL,
     "auto: without a short measurement (0.3 s, once) where\nlittle is known of this machine",
     IN(RUN), AT(no_measure)},
    {"cache-dir", 0, RH_OPTION_WORD, "DIR", NULL, "[$XDG_CACHE_HOME/redhost]",
     TOUCHING | IN(MERGE) | IN(VERIFY_OP), AT(cache_dir)},
};

/* Pairs that do not go together, and the way out. */
const rh_exclusion rh_exclusions[] = {
    {"size", "input", "a file brings its own size"},
    {"data", "input", "a file brings its own elements"},
    {"seed", "input", "a file brings its own elements"},
    {"check", "no-check", "--no-check is --check=none"},
    {"plugin", "foreign", "several files go into a directory for --plugin-path"},
    {"quiet", "verbose", "the one prints less, the other more"},
    {"quick", "thorough", "the one takes less time, the other more"},
    {"strategy", "run", "--run NAME is the strategy, and --run A,B runs several"},
    {"state", "partial", "the one keeps the sum for a next run, the other a part for --merge"},
    {"input", "bench", "it measures generated elements; --run NAME -i FILE -v measures a file"},
    {NULL, NULL, NULL}};

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
