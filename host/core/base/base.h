/* What every folder of the host uses: errors, memory, text, numbers, files, and the process that it
 * runs in. */
#pragma once

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <redhost/control.h>
#include <redhost/plugin.h>
#include <redhost/redhost.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* ---- Errors: a status and a message ---- */

/* Fills *error (which may be null) and returns `status`, so that `return rh_fail(...)` reads well.
 */
rh_status rh_fail(rh_error *error, rh_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prepends "<prefix>: " to the message of a failure.  Returns `status`; if it is RH_OK, nothing is
 * done. */
rh_status rh_error_prefix(rh_error *error, rh_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Hands on a failure that another error tells of.  Returns `status`; if it is RH_OK, nothing is
 * done. */
static inline rh_status rh_error_pass(rh_error *to, rh_status status, const rh_error *why) {
  if (to && status != RH_OK) *to = *why;
  return status;
}

const char *rh_status_text(rh_status status); /* "an OpenCL call failed" */

/* Returns a failure to the caller. */
#define RH_TRY(call)                                                                               \
  do {                                                                                             \
    rh_status rh_try_status = (call);                                                              \
    if (rh_try_status != RH_OK) return rh_try_status;                                              \
  } while (0)

/* ---- Memory, or a failure that says what there is none for: "no memory for a path" ---- */

/* Zeroed memory for n elements, in *to, a pointer to them, which is null after a failure.  For no
 * elements, it is not null either. */
#define RH_NEW(to, n, what, error) rh_alloc(to, n, sizeof **(to), what, error)
/* The same, of `size` bytes each. */
rh_status rh_alloc(void *to, uint64_t n, size_t size, const char *what, rh_error *error);

/* Room for one more after the n elements of *list, which only this has made; null if n is 0.  After
 * a failure, the list is as it was. */
#define RH_ROOM(list, n, what, error) rh_make_room(list, n, sizeof **(list), what, error)
rh_status rh_make_room(void *list, uint64_t n, size_t size, const char *what, rh_error *error);

/* A copy of a string; null gives null. */
rh_status rh_copy(char **to, const char *s, const char *what, rh_error *error);

/* ---- A variable that is given back where its block ends, on every way out of it ---- */

/* RH_FINISHED(rh_text) text = {0}; */
#define RH_FINISHED(type) __attribute__((cleanup(type##_finish))) type
/* A pointer to memory of malloc(), or null: RH_FREED(char) path = NULL; */
#define RH_FREED(type) __attribute__((cleanup(rh_free_at_end))) type *
static inline void rh_free_at_end(void *pointer) {
  void *memory;
  memcpy(&memory, pointer, sizeof memory);
  free(memory);
}

/* Bytes that are read or written all together: calls that were interrupted, or took a part of them,
 * are repeated. */

/* Instead of a place in the file: where the descriptor stands. */
#define RH_BYTES_HERE UINT64_MAX

/* 0, or -1 with errno. */
int rh_write_all(int fd, const void *from, size_t bytes, uint64_t at);
/* *done: how many there were, fewer at the end of the file.  0, or -1 with errno. */
int rh_read_all(int fd, void *to, size_t bytes, uint64_t at, size_t *done);

/* ---- The child processes of this process ---- */

/* Sends the signal to every child of this process, whichever thread started it.  Returns the number
 * of children, including zombies; -1 if /proc is unavailable.  Safe in a signal handler. */
int rh_children_signal(int number);

/* ---- The monotonic clock ---- */

double rh_now(void); /* seconds since a fixed time */

/* ---- Condition variables that are waited for until a time of the monotonic clock ---- */

void rh_condition_init(pthread_cond_t *condition); /* ends with pthread_cond_destroy() */

/* Waits, by `lock`, which the caller holds, until the condition is signalled or until `deadline`,
 * a time of rh_now().  1: it is past. */
int rh_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, double deadline);

/* ---- Shared objects, which only dl.c opens ---- */

typedef struct rh_dl {
  void *handle;
} rh_dl;

/* A failure is RH_E_PLUGIN with a message without the path, which the caller prepends.  RH_E_NOMEM:
 * the loader lacked resources; the file need not be bad. */

/* RTLD_NOW | RTLD_LOCAL on an absolute path.  The loader's message is explained: built for another
 * machine, a library that is missing, an undefined symbol, a C library too old. */
rh_status rh_dl_open(rh_dl *dl, const char *path, rh_error *error);
/* A library that is not a plugin, by the name that the loader looks for: "libopenblas.so.0".
 * RH_DECLINED: it is not installed. */
rh_status rh_dl_open_library(rh_dl *dl, const char *soname, rh_error *error);
/* What the process has already: where objects find `function` by themselves, as in a preloaded
 * library, else in the first library whose file's name begins with `name`.  0: neither. */
int rh_dl_find_loaded(rh_dl *dl, const char *function, const char *name);
/* A function of the library, or of one that it needs. */
rh_status rh_dl_function(const rh_dl *dl, const char *name, void (**function)(void),
                         rh_error *error);
/* The symbol, only if this file itself defines it (dlsym also finds it in a dependency). */
rh_status rh_dl_symbol(const rh_dl *dl, const char *path, const char *name, const void **symbol,
                       rh_error *error);
/* Is this function or object in that file? */
int rh_dl_is_from(const void *address, const char *path);
/* Never called in normal operation: a plugin stays mapped until the process ends. */
void rh_dl_close(rh_dl *dl);

/* Can others change the target of a path?  One rule for everything that redhost finds and then runs
 * or believes: plugins, descriptions of foreign functions and their libraries, compiled programs,
 * the tuning database. */

enum {
  RH_TRUST_BYTES = 512,   /* for a reason */
  RH_TRUST_UNKNOWN = -2,  /* a component could not be examined */
  RH_TRUST_REPLACED = -3, /* the path no longer leads to `opened`, or to nothing */
};

/* 0: only root and the effective user control the target of `path`.  Every directory from the root
 * on, every symbolic link on the way and the target itself belongs to one of the two, and nobody
 * else has write permission: not others, not a group with other members, not an access control
 * list.  The sticky bit exempts a directory on the way, such as /tmp, because its contents are
 * checked, too, and cannot be replaced by others; it does not exempt the target, where others could
 * add files.
 *
 * The first `known` bytes of the path are not checked: a directory that is trusted for another
 * reason.  0 checks all of it.  `opened` is the state of the file that the caller has opened, which
 * must be the path's target; null: the target may be missing, and the existing part of the path is
 * checked.  A relative path starts in the current directory.
 *
 * Nobody else can change a path that passed, so it may then be opened by its name.
 *
 * -1, RH_TRUST_UNKNOWN or RH_TRUST_REPLACED: `why` names the component and what is wrong: "/a/b may
 * be written to by group users (mode 0775)". */
int rh_trust_path(const char *path, size_t known, const struct stat *opened, char *why,
                  size_t bytes);

struct group;  /* <grp.h> */
struct passwd; /* <pwd.h> */

/* Is this the private group of one of the n users?  It has the user's name and is the user's
 * primary group, as on systems with a umask of 002; it lists only the n users as members, and no
 * other account in `accounts`, a file such as /etc/passwd (may be null), has it as its primary
 * group.  Accounts of a directory service are not seen, because directories are not enumerated. */
int rh_trust_is_private(const struct group *group, const struct passwd *users, int n,
                        FILE *accounts);

/* redhost's own files: trusted only if nobody else could have written them, and written whole or
 * not at all. */

enum { RH_FILE_WHY_BYTES = RH_TRUST_BYTES };

typedef enum rh_file_state {
  RH_FILE_OK,
  RH_FILE_ABSENT,
  RH_FILE_REFUSED, /* it exists and must not be used */
  /* it cannot be read now; it need not be damaged */
  RH_FILE_UNREAD,
  RH_FILE_REPLACED /* within file.c: a writer replaced it meanwhile */
} rh_file_state;

/* A file of this kind: what messages call it, such as "an operator file", the most bytes that it
 * may have, and the status where a file is none. */
typedef struct rh_file_kind {
  const char *name;
  size_t most;
  rh_status wrong;
} rh_file_kind;

/* Reads a whole regular file, without waiting for a pipe's other end; the contents are malloc'ed
 * and null-terminated.  RH_E_FILE: it cannot be read.  Messages do not name it. */
rh_status rh_file_read(const char *path, const rh_file_kind *kind, char **text, size_t *bytes,
                       rh_error *error);

/* Reads a whole regular file of at most `most` bytes that rh_trust_path trusts; the contents are
 * malloc'ed and null-terminated.  Refused or unread: `why` continues "the file ...", as in "is not
 * trusted: ...". */
rh_file_state rh_file_read_own(const char *path, size_t most, char **data, size_t *bytes,
                               char why[RH_FILE_WHY_BYTES]);

/* A file that gets its name once it is whole.  Where the file system has files without a name, a
 * writer that is killed leaves nothing behind. */
typedef struct rh_new_file {
  int fd;          /* the caller closes it */
  char *temporary; /* another name in the same directory; null: it has none */
} rh_new_file;

/* Mode 0600.  0, or -1 with errno and nothing to drop. */
int rh_new_file_begin(rh_new_file *file, const char *path);
/* Replaces what is there.  0, or -1 with errno. */
int rh_new_file_end(rh_new_file *file, const char *path);
void rh_new_file_drop(rh_new_file *file);

/* Creates the file and its directory, or replaces it at once: no reader sees a part of it.  0, or
 * -1 with errno. */
int rh_file_write(const char *path, const void *data, size_t bytes);

/* ---- Numbers as text and back, with a decimal point in every locale ---- */

/* Writing: all of them fill `text` and return it. */

/* "64 MiB", "8.7 KiB".  Binary units. */
const char *rh_format_bytes(char text[32], uint64_t bytes);
/* "23.3 ns", "21.4 us", "704 ms". */
const char *rh_format_seconds(char text[32], double seconds);
/* The shortest decimal that reads back as the same double, for programs: "2.143e-05".  Finite
 * numbers only. */
const char *rh_format_number(char text[32], double number);
/* With a number of significant digits, "0.85"; with a number of decimals, "0.1". */
const char *rh_format_digits(char text[32], double number, int digits);
const char *rh_format_fixed(char text[32], double number, int decimals);
/* Elements: "2^20" for powers of two from 2^10 on, else "1000003". */
const char *rh_format_size(char text[32], uint64_t n);

/* A number in digits alone, below 2^64: strtoull() would also accept spaces, signs and numbers that
 * overflow.  1, or 0 if the text, which may be null, is none. */
int rh_read_digits(const char *text, uint64_t *number);

/* strtod() in the C locale: a loaded library may have set another for the whole process.  0, or -1
 * if out of memory. */
int rh_read_decimal(const char *text, char **end, double *number);

/* The thread's floating-point control word (rounding, flush-to-zero, exception masks) and flags.
 *
 * A shared object that is linked with -ffast-math switches the loading thread to flush-to-zero,
 * which would corrupt the reference that it is checked against.  The host saves and compares the
 * control word around every call into a plugin. */

enum { RH_FP_FLAGS = 0x3f, RH_FP_USUAL = 0x1f80 };

typedef struct rh_fpstate {
  uint64_t control;
  uint32_t flags;
} rh_fpstate;

rh_fpstate rh_fpstate_save(void);
/* Returns 1 and restores the state if the control word differs from *saved's, else 0. */
int rh_fpstate_restore(const rh_fpstate *saved);

/* ---- The library's own environment ----
 * A caller may flush subnormals, round upwards or trap exceptions.  References, strategies and the
 * threads that they start are made for the default environment, so every call runs in that one and
 * gives the caller's back, flags included. */

rh_fpstate rh_fpstate_leave(void); /* the caller's */
void rh_fpstate_back(const rh_fpstate *caller);

/* The first declaration of every function that programs call. */
#define RH_OWN_ENVIRONMENT                                                                         \
  const rh_fpstate its_caller __attribute__((unused, cleanup(rh_fpstate_back))) = rh_fpstate_leave()

#if defined(__x86_64__)

/* The same for code without long double, in a few cycles if the caller's is the default. */
#define RH_OWN_ENVIRONMENT_QUICK                                                                   \
  const uint32_t its_caller __attribute__((unused, cleanup(rh_fpquick_back))) = rh_fpquick_leave()

static inline uint32_t rh_fpquick_leave(void) {
  uint32_t caller = rh_control_read();
  if (__builtin_expect((caller & ~(uint32_t)RH_FP_FLAGS) != RH_FP_USUAL, 0))
    rh_control_write(RH_FP_USUAL);
  return caller;
}

static inline void rh_fpquick_back(const uint32_t *caller) {
  if (__builtin_expect(rh_control_read() != *caller, 0)) rh_control_write(*caller);
}

#else
#define RH_OWN_ENVIRONMENT_QUICK RH_OWN_ENVIRONMENT
#endif

/* ---- IEEE 754 binary16 as bits: C11 has no such type ---- */

/* Exact; a NaN becomes a quiet one, as processors make it. */
static inline float rh_half_to_float(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16, magnitude = h & 0x7fffu, bits;
  float f;
  if (magnitude >= 0x7c00u) {
    bits = 0x7f800000u | (magnitude & 0x3ffu) << 13; /* infinity or NaN */
    bits |= (uint32_t)(magnitude > 0x7c00u) << 22;
  } else if (magnitude >= 0x400u) {
    bits = (magnitude << 13) + (112u << 23); /* rebias the exponent from 15 to 127 */
  } else {
    f = (float)magnitude * 0x1p-24f; /* subnormal or zero: a normal float */
    memcpy(&bits, &f, sizeof bits);
  }
  bits |= sign;
  memcpy(&f, &bits, sizeof f);
  return f;
}

/* Round to nearest, ties to even. */
uint16_t rh_half_from_float(float f);

/* FNV-1a (Fowler, Noll and Vo), for names and checksums.  Not secure against deliberate
 * collisions. */

/* `seed`: 0, or a value that selects another hash function. */
static inline uint64_t rh_hash(uint64_t seed, const void *data, size_t bytes) {
  const unsigned char *p = (const unsigned char *)data;
  uint64_t h = seed ^ 0xcbf29ce484222325u;
  for (size_t k = 0; k < bytes; k++) h = (h ^ p[k]) * 0x100000001b3u;
  return h;
}

/* ---- JSON values from C values ---- */

/* New references; null if out of memory. */

/* A finite number, or null. */
json_t *rh_json_number(double number);
/* A string of bytes that need not be UTF-8, such as a path: invalid bytes become '?'.  Null gives
 * null. */
json_t *rh_json_bytes(const char *s);
/* An object.  members: "name:s n:u seconds:f", a letter for each value: s, a string, as above; i,
 * an int; n, an int64_t; u, a uint64_t, of which the largest is null; b, an int for true or false;
 * f, a double, as above; o, a value, which it takes over; each pointer may be null.  o?: a null
 * pointer is left out. */
json_t *rh_json(const char *members, ...);

/* ---- A string that grows ---- */

/* Zero-initialised is empty and valid.  `s` is null or terminated.  If memory runs out, `failed` is
 * set, the text is unchanged, and later appends do nothing: check once at the end. */
typedef struct rh_text {
  char *s;
  size_t length, capacity;
  int failed;
} rh_text;

void rh_text_add(rh_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rh_text_append(rh_text *text, const char *s, size_t length);
/* A string of JSON, with its quotes; what is not plain becomes '?', but for control characters. */
void rh_text_add_json(rh_text *text, const char *s);
/* A word of a command, quoted for a shell if it has to be. */
void rh_text_add_word(rh_text *text, const char *word);
const char *rh_text_get(const rh_text *text); /* never null */
void rh_text_finish(rh_text *text);

/* Adds a string to an array of *n of them; both are malloc'ed. 0, or -1 if out of memory. */
int rh_strings_add(char ***strings, uint32_t *n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int rh_strings_vadd(char ***strings, uint32_t *n, const char *format, va_list args);

/* strdup that accepts null. */
char *rh_copy_string(const char *s);

/* The candidate closest to `word` by edit distance, for "did you mean"; null if none is close.
 */
const char *rh_closest(const char *word, const char *const *candidates, size_t n);

/* "; did you mean 'sum'?", in `text`, or `otherwise` if none is close. */
enum { RH_SUGGESTION_BYTES = 128 };
const char *rh_suggest(char text[RH_SUGGESTION_BYTES], const char *word,
                       const char *const *candidates, size_t n, const char *otherwise);

/* Copies as much of an untrusted text as fits, cut between characters, and makes it plain. */
void rh_copy_plain(char *to, size_t bytes, const char *from);

/* An untrusted string for a message: s itself, or "..." if it is long or not plain. */
const char *rh_quotable(const char *s);

/* For text that is not UTF-8: every byte beyond ASCII becomes '?'. */
void rh_make_ascii(char *s);

/* Makes untrusted text safe for reports and messages: one line, without terminal control or changes
 * of text direction.  Control characters, invalid UTF-8, line separators and direction marks become
 * '?', one for each byte. */
void rh_make_plain(char *s);

/* Would rh_make_plain leave the `length` bytes of s unchanged? */
int rh_is_plain_utf8(const char *s, size_t length);

/* ---- The limits of this process that are unusually tight ---- */

/* Adds what may be why something did not start: "; the address space is limited to 250000 KiB
 * (ulimit -v)".  Adds nothing if nothing is tight. */
void rh_limits_add(rh_text *to);

/* ---- Logs and reports progress through the caller's rh_reporter ---- */

/* `reporter` may be null, and so may its functions. */
void rh_log(const rh_reporter *reporter, uint32_t level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* RH_OK, or RH_E_CANCELLED if the caller cancels; then *error is filled. */
rh_status rh_progress(const rh_reporter *reporter, const char *phase, uint64_t done, uint64_t total,
                      rh_error *error);

/* ---- Paths: the environment's directories, and the library's own ---- */

/* All functions return malloc'ed strings, or null if out of memory or if the directory is unknown.
 */
char *rh_path_join(const char *directory, const char *name);
/* What a file says of another: `name` in the directory of `path`, or `name` if that is absolute. */
char *rh_path_beside(const char *path, const char *name);
char *rh_path_cache(void); /* $XDG_CACHE_HOME/redhost, else ~/.cache/redhost; null without a home */
char *rh_path_data_home(void); /* $XDG_DATA_HOME, else ~/.local/share; null without a home */
/* The directory of libredhost, links resolved; redhost's own plugins are next to it.  The program
 * contains the library's code and derives the directory from its own. */
char *rh_path_library_dir(void);

/* "x.npy" of "data/x.npy", as a part of `path`. */
const char *rh_path_name(const char *path);

/* An environment variable, or null if it is unset or empty. */
const char *rh_env(const char *name);
/* Running with another user's rights (set-uid and the like)? */
int rh_is_privileged(void);

/* RH_E_PLUGIN if the file must not be loaded, or what it describes: with raised privileges all but
 * what was installed with redhost, for the user who started the program has named it. */
rh_status rh_path_check_privileges(const char *path, rh_error *error);

/* The first regular file of that name, from a directory of PATH on, to which access(mode) is given.
 * Empty elements of PATH, which mean the current directory to a shell, are ignored. */
char *rh_path_search(const char *name, int mode);

/* mkdir -p with mode 0700 for new directories. 0, or -1 with errno. */
int rh_path_make_dirs(const char *directory);

/* ---- The host's processor ---- */

enum { RH_PROCESSOR_WORD = 48 };

/* The processor's model, such that times measured on one are likely to hold for another one of the
 * same: "GenuineIntel 6 143", vendor, family and model as CPUID has them, or, on ARM, implementer
 * and part, as in "ARM 0x41 0xd4f"; "" if unknown. */
void rh_processor_family(char family[RH_PROCESSOR_WORD]);

/* Splitmix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA
 * 2014). */

static const uint64_t rh_random_step = 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */

/* The finaliser: every bit of the answer depends on every bit of x. */
static inline uint64_t rh_random_mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* The next 64 bits of a sequence; any first state will do. */
static inline uint64_t rh_random_next(uint64_t *state) {
  return rh_random_mix(*state += rh_random_step);
}

/* ---- Page-aligned memory: mapped files, and memory that grows without copying ---- */

/* [address, address+bytes) is page-aligned; bytes is a multiple of the page size.  Zero-initialised
 * is empty. */
typedef struct rh_region {
  void *address;
  uint64_t bytes;
  uint32_t shared; /* 1: `file` is what is mapped, and another process can map it too */
  uint32_t own;    /* 1: the file is anonymous and created here */
  int file;
} rh_region;

rh_status rh_region_map(rh_region *region, int fd, uint64_t file_bytes, const char *name,
                        rh_error *error); /* read-only, private */
rh_status rh_region_alloc(rh_region *region, uint64_t bytes, rh_error *error); /* zeroed */
/* The same, backed by an anonymous file, so that another process can map it without a copy.  It
 * uses small pages, so it is only for memory that may be shared. */
rh_status rh_region_alloc_shared(rh_region *region, uint64_t bytes, rh_error *error);
rh_status rh_region_grow(rh_region *region, uint64_t bytes,
                         rh_error *error); /* may move; no mapped files */
/* Moves regions next to each other, without a copy: offsets[k] is where region k begins in *whole.
 * They become empty, but keep their files until rh_region_finish().  On failure some may be empty,
 * too. */
rh_status rh_region_join(rh_region *whole, rh_region *const *parts, uint32_t n, uint64_t *offsets,
                         rh_error *error);
void rh_region_trim(rh_region *region, uint64_t bytes); /* releases all but `bytes` */
/* Seals `file`: its recipients can no longer write to it or change its length.  For regions of
 * rh_region_alloc_shared. */
void rh_region_seal(const rh_region *region);
void rh_region_finish(rh_region *region);

/* ---- A loop over numbers that all processors take a share of ---- */

/* Calls part(user, first, count) for pieces of 0 .. n-1 of `each` numbers, the last one maybe
 * shorter, by several threads, the caller's among them; returns when all calls have. */
void rh_share(uint64_t n, uint64_t each, void (*part)(void *user, uint64_t first, uint64_t count),
              void *user);

/* ---- Results as text, in the C locale's digits ---- */

/* The shortest decimal that reads back as the same number of the result's type; integers whole;
 * "nan", "inf". */
const char *rh_format_value(char text[64], const rh_result *result);
/* Exact for every reader: %.17g. */
const char *rh_format_exact(char text[64], const rh_result *result);
/* The operator's answer: an index, or the shortest decimal. */
const char *rh_format_answer(char text[64], const rh_result *result);

/* An index and its value say all of one operator, whether it is mapped, masked or neither. */
static inline int rh_result_has_fields(const rh_result *result) {
  return result->n_fields > result->indexed;
}

/* Number `index` of an array of a type that is computed with: not of f16, or of 8 or 16 bits. */
double rh_number_at(rh_type type, const void *from, uint64_t index);

/* An element of an array of any type as 8 bytes, as results have them in `value`; and back.
 * Returns the element's size. */
uint32_t rh_element_load(rh_type type, const void *from, void *word);
uint32_t rh_element_store(rh_type type, const void *word, void *to);
/* The number that such 8 bytes are. */
double rh_word_number(rh_type type, const void *word);

/* Names of types, operators, statuses' reasons: all from the lists in redhost/plugin.h. */

/* Number of types and of operators; their numbers run from 1 to these. */
enum { RH_N_TYPES = 11, RH_N_OPS = 13 };

const char *rh_type_name(rh_type type);      /* "f32"; null for an unknown number */
uint32_t rh_type_size(rh_type type);         /* bytes; 0 for an unknown number */
rh_type rh_type_from_name(const char *name); /* 0 for an unknown name */
static inline int rh_type_is_float(rh_type type) {
  return type == RH_TYPE_f16 || type == RH_TYPE_f32 || type == RH_TYPE_f64;
}
int rh_type_is_signed(rh_type type); /* signed integers and floats */

const char *rh_op_name(uint32_t op);        /* "argmin"; null */
uint32_t rh_op_from_name(const char *name); /* 0 */
uint32_t rh_op_flags(uint32_t op,
                     rh_type type); /* RH_OP_*; sums and products of integers are exact too */
/* Does the order of combining decide its bits?  So it is for sums and products of floats, which
 * docs/inside/bits.md therefore gives an order. */
int rh_op_rounds(uint32_t op, rh_type type);
/* Is it a sum of floats that a strategy with these promises rounds once? */
int rh_op_rounds_once(uint64_t promises, uint32_t op, rh_type type);
/* In place of a depth: of such a sum. */
#define RH_DEPTH_ONE_ROUNDING UINT64_MAX
/* Is this operator defined on this type?  (and, or, xor: integers only; affine: u64 only.) */
int rh_op_is_defined(uint32_t op, rh_type type);
/* sum, prod, asum: values wider than the elements */
static inline int rh_op_is_arithmetic(uint32_t op) {
  return op == RH_OP_sum || op == RH_OP_prod || op == RH_OP_asum;
}
/* The type of the answer: i64 or u64 for sums and products of integers, f32 for those of f16,
 * otherwise the type itself; unsigned for magnitudes of integers. */
rh_type rh_op_result_type(uint32_t op, rh_type type);

/* The names of all operators, in one line for people. */
const char *rh_op_names(void);
/* "integers", "u64", "every type": what rh_op_is_defined() says, for messages. */
const char *rh_op_domain(uint32_t op);

const char *rh_why_code(uint32_t why); /* "device"; "unknown" */

/* "run-to-run": what a strategy promises about its bits (RH_BITS_*), in CUB's terms; "unknown" for
 * an unknown number. */
const char *rh_determinism_name(uint32_t determinism);

/* How the lengths of segments that are measured spread around a typical one, L (engine/segments).
 * X(name, number, the lengths) */
#define RH_LENGTHS_LIST(X)                                                                         \
  X(fixed, 1, "all L")                                                                             \
  X(alternate, 2, "L and L + 1 in turn, by offsets")                                               \
  X(uniform, 3, "0 to 2 L, equally often")                                                         \
  X(power, 4, "1 to L^2, by a power law with exponent 1.5")                                        \
  X(giant, 5, "L, and one in the middle with half of all elements")                                \
  X(sparse, 6, "nine of ten empty, the others 1 to 20 L")                                          \
  X(columns, 7, "all L: the columns of an array with L rows")
enum {
#define RH_X(name, number, text) RH_LENGTHS_##name = number,
  RH_LENGTHS_LIST(RH_X)
#undef RH_X
      RH_N_LENGTHS = 7
};
const char *rh_lengths_name(uint32_t kind);      /* null for an unknown number */
uint32_t rh_lengths_from_name(const char *name); /* 0: unknown */

/* Loops over arrays, for the widest vectors that the processor has: by what it can do and not by
 * its maker. */

#if defined(__x86_64__) && defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__) &&           \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define RH_WIDEST __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define RH_WIDEST
#endif

/* Structs that the caller of the library allocates.  Each begins with its size, so that later
 * versions can append fields: a struct of an earlier version is shorter, one of a later version is
 * longer. */

/* A struct as this version knows it.  Its first field is `uint32_t struct_size`. */
typedef struct rh_sized {
  const char *name;
  uint32_t least; /* bytes in the first version, up to and with its last field */
  uint32_t known; /* bytes now */
} rh_sized;

/* `last` is the last field of the first version. */
#define RH_SIZED(T, last)                                                                          \
  (&(const rh_sized){#T, (uint32_t)(offsetof(T, last) + sizeof(((T *)0)->last)),                   \
                     (uint32_t)sizeof(T)})

enum { RH_MOST_STRUCT_BYTES = 4096 }; /* a larger size was never set */

/* Checks a struct that is shorter than any version, or longer than this one. */
rh_status rh_sized_check_unusual(const void *given, const rh_sized *kind, rh_error *error);
/* RH_E_USAGE if the struct cannot have this size, or if fields are set that this version does not
 * know. */
static inline rh_status rh_sized_check(const void *given, const rh_sized *kind, rh_error *why) {
  uint32_t size = *(const uint32_t *)given;
  if (size >= kind->least && size <= kind->known) return RH_OK;
  return rh_sized_check_unusual(given, kind, why);
}

/* Checks `given` and copies it to the struct `own`, of kind->known bytes.  Fields that it lacks
 * become zero. */
rh_status rh_sized_read(void *own, const void *given, const rh_sized *kind, rh_error *error);

/* Copies the struct `own` to `given`, which was checked, as far as `given` extends.  `given` keeps
 * its size. */
void rh_sized_write(void *given, const void *own, const rh_sized *kind);
