#include "launch.h"
#include "../../core/base/clock.h"
#include "../../core/base/path.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_US = 10000 };
static const double say_s = 0.2;

static void say_phase(const rh_launch *launch) {
  char phase[48];
  snprintf(phase, sizeof phase, "a job of %u ranks", launch->size);
  rh_trial_phase(launch->trial, phase);
}

/* ---- Starting ---- */

/* The user's words, with the number in its place, and redhost as a rank behind them. */
static void add_command(rh_text *text, const rh_launch *launch, const char *program) {
  const char *from = launch->trial->launch;
  for (const char *at; (at = strstr(from, RH_LAUNCH_NUMBER)); from = at + strlen(RH_LAUNCH_NUMBER))
    rh_text_add(text, "%.*s%u", (int)(at - from), from, launch->size);
  rh_text_add(text, "%s", from);
  rh_text_add(text, " ");
  rh_text_add_word(text, program);
  rh_text_add(text, " --rank ");
  rh_text_add_word(text, launch->directory);
}

static rh_outcome spawn(rh_launch *launch) {
  rh_trial *trial = launch->trial;
  char *program = NULL;
  rh_text command = {0};
  rh_status status = rh_child_program(&trial->context->options, &program, &trial->error);
  if (status == RH_OK) add_command(&command, launch, program);
  const char *const argv[] = {"sh", "-c", rh_text_get(&command), NULL};
  launch->output = memfd_create("redhost-output", MFD_CLOEXEC);
  const rh_child_spec spec = {
      .program = "/bin/sh", .argv = argv, .data = -1, .output = launch->output, .stranger = 1};
  if (status == RH_OK) status = rh_child_start(&launch->child, &spec, &trial->error);
  rh_text_finish(&command);
  free(program);
  return status == RH_OK ? RH_PASS : rh_trial_skip(trial, "%s", trial->error.message);
}

rh_outcome rh_launch_start(rh_launch *launch, rh_trial *trial, rh_rank_task task, uint32_t size,
                           uint32_t special) {
  const char *temporary = rh_env("TMPDIR");
  const rh_rank_order order = {trial->path, task, size, special, trial->seed + size};
  *launch = (rh_launch){.trial = trial, .size = size, .special = special, .output = -1};
  if (!trial->launch)
    return rh_trial_skip(trial, "needs a job of several ranks; say how one is started, as in "
                                "--launch 'mpirun -n {n}'");
  snprintf(launch->directory, sizeof launch->directory, "%.200s/redhost-ranks-XXXXXX",
           temporary ? temporary : "/tmp");
  if (!mkdtemp(launch->directory)) {
    launch->directory[0] = 0;
    return rh_trial_skip(trial, "%s cannot be written", temporary ? temporary : "/tmp");
  }
  if (rh_rank_order_write(&order, launch->directory, &trial->error) != RH_OK)
    return rh_trial_skip(trial, "%s", trial->error.message);
  return spawn(launch);
}

/* ---- Ending ---- */

/* A zombie has ended.  What is on another host cannot be seen. */
static int runs(const rh_rank_seen *seen) {
  char path[64], line[512] = "", here[64] = "", state = 'Z';
  gethostname(here, sizeof here - 1);
  if (strcmp(here, seen->host) != 0) return 0;
  snprintf(path, sizeof path, "/proc/%ld/stat", (long)seen->pid);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  const char *after = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
  if (after && sscanf(after + 1, " %c", &state) != 1) state = 'Z';
  fclose(file);
  return state != 'Z' && state != 'X';
}

static void each_entry(const rh_launch *launch,
                       void (*take)(const char *path, const char *name, void *user), void *user) {
  DIR *directory = opendir(launch->directory);
  for (const struct dirent *entry; directory && (entry = readdir(directory));) {
    char *path = rh_path_join(launch->directory, entry->d_name);
    if (path && entry->d_name[0] != '.') take(path, entry->d_name, user);
    free(path);
  }
  if (directory) closedir(directory);
}

static void remove_file(const char *path, const char *name, void *user) {
  (void)name;
  (void)user;
  unlink(path);
}

void rh_launch_finish(rh_launch *launch) {
  if (launch->child.pid > 0) rh_child_finish(&launch->child, 0);
  for (uint32_t k = 0; k < launch->n_seen; k++)
    if (runs(&launch->seen[k])) kill(launch->seen[k].pid, SIGKILL);
  if (launch->directory[0]) {
    each_entry(launch, remove_file, NULL);
    rmdir(launch->directory);
  }
  if (launch->output >= 0) close(launch->output);
  free(launch->seen);
  *launch = (rh_launch){.output = -1};
}

/* ---- What the ranks say ---- */

static void take_line(rh_rank_seen *seen, const char *line) {
  char text[512];
  double seconds;
  if (sscanf(line, "begin %63s", text) == 1) snprintf(seen->host, sizeof seen->host, "%.63s", text);
  if (sscanf(line, "joined %u %u %u", &seen->rank, &seen->size, &seen->local_rank) == 3)
    seen->has_joined = 1;
  if (strcmp(line, "ready") == 0) seen->is_ready = 1;
  if (strcmp(line, "closed") == 0) seen->has_closed = 1;
  if (sscanf(line, "broke %lf", &seconds) == 1) {
    seen->has_broken = 1;
    seen->broken_s = seconds;
  }
  if (strncmp(line, "wrong ", 6) == 0 && !seen->wrong[0])
    snprintf(seen->wrong, sizeof seen->wrong, "%.*s", (int)sizeof seen->wrong - 1, line + 6);
}

/* Half a line, of a rank that was killed while it wrote, is none. */
static void take_file(const char *path, const char *name, void *user) {
  rh_launch *launch = user;
  char line[1024];
  FILE *file = isdigit((unsigned char)name[0]) ? fopen(path, "re") : NULL;
  rh_rank_seen *grown = file ? realloc(launch->seen, (launch->n_seen + 1u) * sizeof *grown) : NULL;
  if (grown) {
    launch->seen = grown;
    rh_rank_seen *seen = &grown[launch->n_seen++];
    *seen = (rh_rank_seen){.pid = (pid_t)atol(name)};
    while (fgets(line, sizeof line, file)) {
      char *end = strchr(line, '\n');
      if (!end) break;
      *end = 0;
      take_line(seen, line);
    }
  }
  if (file) fclose(file);
}

static void look_at_launcher(rh_launch *launch) {
  siginfo_t info = {0};
  if (launch->has_ended ||
      waitid(P_PID, (id_t)launch->child.pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid == 0)
    return;
  launch->has_ended = 1;
  launch->status = rh_child_finish(&launch->child, RH_CHILD_CLOSED_S);
  launch->child = (rh_child){0};
}

/* Reads all files again; the launcher's end is noticed, too. */
static void look_again(rh_launch *launch) {
  look_at_launcher(launch);
  launch->n_seen = 0;
  each_entry(launch, take_file, launch);
}

static int all_ready(const rh_launch *launch) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < launch->n_seen; k++) n += (uint32_t)launch->seen[k].is_ready;
  return n >= launch->size;
}

/* This process is not silent while it waits: the ranks have limits of their own. */
int rh_launch_wait(rh_launch *launch, int ready, double seconds) {
  double said = 0;
  for (double end = rh_now() + seconds;; usleep(LOOK_US)) {
    if (rh_now() > said + say_s) {
      say_phase(launch);
      said = rh_now();
    }
    look_again(launch);
    if (ready ? launch->has_ended || all_ready(launch)
              : launch->has_ended && !rh_launch_running(launch))
      return 1;
    if (rh_now() > end) return 0;
  }
}

const rh_rank_seen *rh_launch_rank(const rh_launch *launch, uint32_t rank) {
  for (uint32_t k = 0; k < launch->n_seen; k++)
    if (launch->seen[k].has_joined && launch->seen[k].rank == rank) return &launch->seen[k];
  return NULL;
}

const rh_rank_seen *rh_launch_running(const rh_launch *launch) {
  for (uint32_t k = 0; k < launch->n_seen; k++)
    if (runs(&launch->seen[k])) return &launch->seen[k];
  return NULL;
}

/* ---- Judging ---- */

const char *rh_launch_printed(const rh_launch *launch, char to[256]) {
  rh_printed printed = {0};
  ssize_t length = pread(launch->output, printed.begin, sizeof printed.begin - 1, 0);
  off_t bytes = lseek(launch->output, 0, SEEK_END);
  printed.bytes = bytes > 0 ? (uint64_t)bytes : 0;
  printed.begin[length > 0 ? length : 0] = 0;
  rh_printed_quote(&printed, to, 256);
  return to;
}

const char *rh_launch_ending(const rh_launch *launch, char to[64]) {
  int status = launch->status;
  if (!launch->has_ended)
    snprintf(to, 64, "still runs");
  else if (WIFEXITED(status))
    snprintf(to, 64, "ended with status %d", WEXITSTATUS(status));
  else
    snprintf(to, 64, "was ended by signal %d", WTERMSIG(status));
  return to;
}

rh_outcome rh_launch_judge(const rh_launch *launch) {
  char ending[64], printed[256];
  uint32_t joined = 0;
  for (uint32_t k = 0; k < launch->n_seen; k++) {
    const rh_rank_seen *seen = &launch->seen[k];
    joined += (uint32_t)seen->has_joined;
    if (seen->wrong[0] && seen->has_joined)
      return rh_trial_fail(launch->trial, "rank %u of %u: %s", seen->rank, launch->size,
                           seen->wrong);
    if (seen->wrong[0])
      return rh_trial_fail(launch->trial, "a job of %u ranks: %s", launch->size, seen->wrong);
  }
  if (joined >= launch->size) return RH_PASS;
  return rh_trial_fail(launch->trial,
                       "of %u ranks, %u have begun and %u have joined the job; the launcher %s%s",
                       launch->size, launch->n_seen, joined, rh_launch_ending(launch, ending),
                       rh_launch_printed(launch, printed));
}
