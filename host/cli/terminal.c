#include <poll.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "app.h"

void rh_print_path(const char *path) { puts(isatty(STDOUT_FILENO) ? rh_plain(path) : path); }

static volatile sig_atomic_t line_is_up;
static volatile sig_atomic_t interrupted, writes_down; /* used while interrupts are held */

/* After an interrupt, output must not wait for a pipe without a reader. */
static int would_block(void) {
  struct pollfd terminal = {STDERR_FILENO, POLLOUT, 0};
  return interrupted && poll(&terminal, 1, 0) != 1;
}

/* mpirun gives its ranks a terminal of their own, whatever it writes their output to. */
static int is_terminal(int fd) { return isatty(fd) && !rh_ranks_have_launcher(); }

/* In order of precedence: --color, NO_COLOR, CLICOLOR_FORCE, CLICOLOR, the terminal itself. */
static int wants_color(void) {
  const char *term = getenv("TERM"), *clicolor = rh_env("CLICOLOR"),
             *force = rh_env("CLICOLOR_FORCE");
  if (rh_env("NO_COLOR")) return 0;
  if (force && strcmp(force, "0") != 0) return 1;
  if (clicolor && strcmp(clicolor, "0") == 0) return 0;
  return is_terminal(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}

struct rh_terminal rh_terminal;

void rh_terminal_init(const rh_typed *typed) {
  rh_terminal = (struct rh_terminal){
      .color = rh_when(typed->color, wants_color()),
      .progress = rh_when(typed->progress, is_terminal(STDERR_FILENO) && !typed->quiet),
      .shares = 1,
      .quiet = typed->quiet,
      .verbose = typed->verbose};
}

void rh_terminal_clear(void) {
  if (!line_is_up || would_block()) return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  line_is_up = 0;
}

/* At once: a write that an interrupt ends is not followed by another. */
__attribute__((format(printf, 1, 2))) static void show_line(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fflush(stderr);
  line_is_up = 1;
}

/* "reading  37 %", and of a stream "streaming  37 %  3.2 GB/s, about 40 s left": bytes, since the
 * phase began.  [any thread] */
static void draw(const char *phase, uint64_t done, uint64_t total, double seconds) {
  char share[32], rate[64] = "";
  double speed = (double)done / seconds;
  if (total) snprintf(share, sizeof share, "%3.0f %%", 100.0 * (double)done / (double)total);
  else snprintf(share, sizeof share, "%.1f MB", 1e-6 * (double)done);
  if (strcmp(phase, "streaming") == 0)
    snprintf(rate, sizeof rate,
             total && speed > 0 ? "  %.3g GB/s, about %.0f s left" : "  %.3g GB/s", 1e-9 * speed,
             (double)(total - done) / speed + 0.5);
  show_line("\r\033[K%s %s%s", phase, share, rate);
}

void rh_terminal_count(uint32_t done, uint32_t total, double left_s, const char *what,
                       const char *which) {
  if (!rh_terminal.progress || would_block()) return;
  show_line("\r\033[K[%u/%u] %s %s, about %.0f s left", done + 1, total, what, rh_plain(which),
            left_s > 1 ? left_s : 1);
}

rh_status rh_terminal_turn(void *unused, const rh_bench_turn *turn, rh_error *error) {
  (void)unused;
  if (rh_terminal_was_interrupted()) return rh_fail(error, RH_E_CANCELLED, "interrupted");
  rh_terminal_count(turn->done, turn->total, turn->left_s, rh_count(turn->n), turn->strategy);
  return RH_OK;
}

/* ---- The options that help, of which the library does not know ---- */

enum { ANY = 1000 }; /* not an rh_status */

static const struct {
  int status;       /* rh_status; ANY: warnings, too */
  const char *part; /* of the library's message */
  const char *advice;
} hints[] = {
    {RH_E_USAGE, "unknown strategy '", "See redhost --list"},
    {RH_E_USAGE, "unknown strategy or operator '", "See redhost --list and redhost --ops"},
    {RH_DECLINED, "no strategy can serve ", "See redhost --list"},
    {RH_E_USAGE, "' has no such parameter", "See redhost --info NAME"},
    {RH_E_BUILD, "kernel build failed for '", "Option -v prints the build log"},
    {RH_E_FILE, "raw data needs an element type", "Name it with --type"},
    {RH_E_USAGE, "--input is given twice", "Several files are one list: --input x.npy,y.npy"},
    {RH_E_USAGE, "--where is given twice", "Two conditions are one: --where 'x > 0 && x < 5'"},
    {RH_E_USAGE, "--plugin is given twice", "Several go into a directory for --plugin-path"},
    {RH_DECLINED, "does not claim to commute",
     "If a and b may be exchanged, claim it: --commutes, or commutative in the operator's file"},
    {RH_E_FILE, "compressed by gzip", "As in: zcat x.npy.gz | redhost --input -"},
    {RH_E_FILE, "compressed by bzip2", "As in: bzcat x.npy.bz2 | redhost --input -"},
    {RH_E_FILE, "compressed by xz", "As in: xzcat x.npy.xz | redhost --input -"},
    {RH_E_FILE, "compressed by zstd", "As in: zstdcat x.npy.zst | redhost --input -"},
    {RH_E_FILE, "with numpy.loadtxt",
     "As in: python3 -c \"import numpy; numpy.save('x.npy', numpy.loadtxt('x.csv', "
     "delimiter=','))\""},
    {RH_E_USAGE, ", where !isnan(x)", "Option --where '!isnan(x)' says so"},
    {RH_E_USAGE, ", of the map x*x", "Option --map 'x*x' says so"},
    {RH_E_USAGE, ", of the map x >= 0 && x < 1", "As in --map 'x >= 0 && x < 1'"},
    {ANY, "turn the cache off", "Options --cache-dir and --no-cache do that"},
    {ANY, "auto: measured once, as little was known", "Option --no-measure leaves it out"},
    {ANY, "another cache directory", "Option --cache-dir names one"},
};

static const char *advice_on(int status, const char *message) {
  if (strstr(message, "redhost --")) return NULL; /* the program's own message */
  for (size_t k = 0; k < sizeof hints / sizeof *hints; k++)
    if ((hints[k].status == ANY || status == hints[k].status) && strstr(message, hints[k].part))
      return hints[k].advice;
  return NULL;
}

/* ---- Messages ---- */

/* Shows nothing for the first second, then updates a line at most ten times a second. */
static int on_progress(void *unused, const char *phase, uint64_t done, uint64_t total) {
  static const char *last; /* phase, since `started` */
  static double started, shown;
  (void)unused;
  double now = rh_now();
  done *= rh_terminal.shares;
  if (total && done > total) done = total;
  if (!rh_terminal.progress || would_block()) return interrupted;
  if (!last || strcmp(last, phase) != 0) {
    rh_terminal_clear();
    last = phase;
    started = now;
  }
  if (total && done >= total) {
    rh_terminal_clear();
    last = NULL;
  } else if (now - started >= 1 && now - shown >= 0.1) {
    draw(phase, done, total, now - started);
    shown = now;
  }
  return interrupted;
}

static void on_log(void *unused, uint32_t level, const char *text) {
  (void)unused;
  if (level >= RH_LOG_INFO && !rh_terminal.verbose) return;
  if (level == RH_LOG_WARNING && rh_terminal.quiet) return;
  const char *advice = advice_on(RH_OK, text);
  rh_terminal_say("%s%s%s", text, advice ? ". " : "", advice ? advice : "");
}

const rh_reporter rh_terminal_reporter = {NULL, on_log, on_progress};

void rh_terminal_say(const char *format, ...) {
  char *text, last = 0;
  va_list args;
  va_start(args, format);
  int length = vasprintf(&text, format, args);
  va_end(args);
  if (length < 0) return;
  while (length && text[length - 1] == '\n') text[--length] = 0;
  if (length) last = text[length - 1];
  rh_make_plain(text);
  if (!would_block()) {
    rh_terminal_clear();
    fprintf(stderr, "redhost: %s%s\n", text, last && strchr(".?!", last) ? "" : ".");
  }
  free(text);
}

void rh_terminal_say_error(rh_error *error) {
  const char *advice = advice_on(error->status, error->message);
  char line[RH_EXCERPT_BYTES];
  size_t column, length = strlen(error->message);
  if (advice)
    snprintf(error->message + length, sizeof error->message - length, "%s%s",
             length && error->message[length - 1] == '?' ? " " : ". ", advice);
  rh_terminal_say("%s", error->message);
  if (rh_excerpt_find(error->message, line, &column) && *line)
    fprintf(stderr, "  %s\n  %*s^\n", line, (int)column, "");
}

static const char *const codes[] = {"", "\033[1m", "\033[32m", "\033[1;31m", "\033[2m"};

const char *rh_styled(int style, const char *text) {
  return rh_terminal.color && style != RH_PLAIN ? rh_show("%s%s\033[0m", codes[style], text) : text;
}

/* Child processes have their own process groups, which the terminal's interrupt does not reach.
 * They are killed and awaited, so that the device is free when the prompt returns.  The wait is
 * limited to a second, since a driver may delay the end of a killed process. */
static void end_children(void) {
  const struct timespec nap = {0, 2000000};
  double deadline = rh_now() + 1;
  while (rh_children_signal(SIGTERM) > 0 && rh_now() < deadline) {
    while (waitpid(-1, NULL, WNOHANG) > 0) {}
    nanosleep(&nap, NULL);
  }
  rh_children_signal(SIGKILL);
}

/* Ends at once, which is safe: output is printed only when complete, and files are replaced
 * atomically. */
static void on_interrupt(int signal_number) {
  (void)signal_number;
  static const char clear[] = "\r\033[K";
  end_children();
  interrupted = 1;
  if (line_is_up && !would_block() && write(STDERR_FILENO, clear, sizeof clear - 1) < 0) _exit(130);
  _exit(130);
}

static void on_held_interrupt(int signal_number) {
  if (interrupted) on_interrupt(signal_number);
  interrupted = 1;
  if (writes_down) alarm(2);
}

/* SIGINT stays ignored if the parent ignores it, as for background jobs and under nohup. */
static void take_interrupt(void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler}, old;
  if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
    rh_signal_action(SIGINT, &action, NULL);
}

void rh_terminal_catch_interrupt(void) { take_interrupt(on_interrupt); }

void rh_terminal_hold_interrupt(void) { take_interrupt(on_held_interrupt); }

int rh_terminal_was_interrupted(void) { return interrupted; }

void rh_terminal_write_down(void) {
  const struct sigaction action = {.sa_handler = on_interrupt};
  rh_signal_action(SIGALRM, &action, NULL);
  writes_down = 1;
  if (interrupted) alarm(2);
}

void rh_terminal_go_on(void) {
  writes_down = 0;
  alarm(0);
}

static char cut_file[320]; /* the message of on_bus_error */

/* The mapped file was cut short.  If several threads get the signal, only the first writes the
 * message. */
static void on_bus_error(int signal_number) {
  (void)signal_number;
  static atomic_flag taken = ATOMIC_FLAG_INIT;
  while (atomic_flag_test_and_set(&taken)) pause();
  end_children();
  if (write(STDERR_FILENO, cut_file, strlen(cut_file)) < 0) _exit(6);
  _exit(6);
}

void rh_terminal_catch_cut_file(const char *path) {
  const struct sigaction action = {.sa_handler = on_bus_error};
  char name[RH_ARRAY_NAME_BYTES];
  rh_array_name(name, path);
  snprintf(cut_file, sizeof cut_file, "redhost: %s: was cut short while it was being read.\n",
           name);
  rh_signal_action(SIGBUS, &action, NULL);
  rh_signal_hold(SIGBUS);
}

/* ---- Tables and paragraphs ---- */

/* The width of UTF-8 text, or of its first bytes: the number of bytes that start a character. */
static int width_of(const char *s, size_t bytes) {
  int width = 0;
  for (; bytes && *s; s++, bytes--) width += ((unsigned char)*s & 0xc0) != 0x80;
  return width;
}

void rh_table_print(rh_table *table, const char *indent) {
  int widths[RH_MAX_COLUMNS] = {0};
  uint32_t columns = table->columns;
  for (uint32_t k = 0; k < table->n_rows; k++) {
    int width = width_of(table->cells[k], SIZE_MAX);
    if (width > widths[k % columns]) widths[k % columns] = width;
  }
  for (uint32_t k = 0; k < table->n_rows && table->n_rows > table->headings; k++) {
    uint32_t column = k % columns;
    const char *cell = table->cells[k];
    int pad = widths[column] - width_of(cell, SIZE_MAX), style = table->styles[k];
    int last = column == columns - 1;
    fputs(column == 0 ? indent : "  ", stdout);
    if (table->right[column]) printf("%*s", pad, "");
    fputs(rh_styled(style, cell), stdout);
    if (!table->right[column] && !last) printf("%*s", pad, "");
    if (last) putchar('\n');
  }
  rh_table_finish(table);
}

void rh_print_wrapped(const char *text, const char *first, const char *indent, int width) {
  int used = 0;
  width -= width_of(indent, SIZE_MAX);
  for (const char *word = text + strspn(text, " \n"); *word;) {
    size_t length = strcspn(word, " \n");
    int columns = width_of(word, length);
    if (used && used + 1 + columns > width) {
      putchar('\n');
      first = indent;
      used = 0;
    }
    printf("%s%.*s", used ? " " : first, (int)length, word);
    used += columns + (used > 0);
    word += length;
    word += strspn(word, " \n");
  }
  if (used) putchar('\n');
}
