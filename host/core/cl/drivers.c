#include "cl.h"

#include <dirent.h>
#include <sched.h>
#include <sys/resource.h>

extern char **environ;

static void mix(uint64_t *state, const void *data, size_t bytes) {
  *state = rh_hash(*state, data, bytes);
}

static void mix_text(uint64_t *state, const char *text) { mix(state, text, strlen(text) + 1); }

/* Mixes in the file's identity without reading it. */
static void mix_file(uint64_t *state, const char *path) {
  struct stat st;
  if (stat(path, &st) != 0) return;
  const uint64_t facts[] = {st.st_dev,
                            st.st_ino,
                            (uint64_t)st.st_size,
                            (uint64_t)st.st_mtim.tv_sec,
                            (uint64_t)st.st_mtim.tv_nsec,
                            st.st_mode};
  mix_text(state, path);
  mix(state, facts, sizeof facts);
}

/* Mixes in the path and what is mounted there, because its contents change all the time. */
static void mix_place(uint64_t *state, const char *path) {
  struct stat st = {0};
  const uint64_t facts[] = {stat(path, &st) == 0, st.st_dev, st.st_ino};
  mix(state, facts, sizeof facts);
}

static void mix_contents(uint64_t *state, const char *path, char *bytes, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  ssize_t got = fd < 0 ? -1 : read(fd, bytes, size - 1);
  if (fd >= 0) close(fd);
  bytes[got > 0 ? got : 0] = 0;
  mix_text(state, bytes);
}

/* One file of the loader's list: its content, and the library that its first line names. */
static void mix_icd(uint64_t *state, const char *path) {
  char library[1024], candidate[1300];
  static const char *const usual[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                      "/usr/lib64", "/usr/lib", "/usr/local/lib"};
  mix_file(state, path);
  mix_contents(state, path, library, sizeof library);
  library[strcspn(library, "\r\n")] = 0;
  if (strchr(library, '/')) mix_file(state, library);
  for (size_t k = 0; k < sizeof usual / sizeof *usual && !strchr(library, '/'); k++) {
    snprintf(candidate, sizeof candidate, "%s/%s", usual[k], library);
    mix_file(state, candidate);
  }
}

static void mix_vendors(uint64_t *state, const char *path) {
  char file[4352];
  DIR *directory = opendir(path);
  struct dirent *entry;
  uint64_t sum = 0;
  mix_file(state, path);
  while (directory && (entry = readdir(directory))) {
    uint64_t one = 0; /* a sum, because the order of the names does not matter */
    snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    if (entry->d_name[0] != '.') mix_icd(&one, file);
    sum += one;
  }
  if (directory) closedir(directory);
  mix(state, &sum, sizeof sum);
}

/* Variables that differ between terminals and directories and do not affect drivers. */
static int is_idle(const char *variable) {
  static const char *const idle[] = {
      "PWD=",     "OLDPWD=", "_=",       "SHLVL=", "TERM", "COLUMNS=", "LINES=", "COLOR",
      "WINDOWID", "SSH_",    "REDHOST_", "DBUS_",  "PS1=", "TMUX",     "STY=",   "LS_COLORS"};
  for (size_t k = 0; k < sizeof idle / sizeof *idle; k++)
    if (strncmp(variable, idle[k], strlen(idle[k])) == 0) return 1;
  return 0;
}

static void mix_process(uint64_t *state) {
  cpu_set_t processors;
  const uint64_t ids[] = {getuid(), geteuid(), getgid(), getegid()};
  mix(state, ids, sizeof ids);
  CPU_ZERO(&processors);
  sched_getaffinity(0, sizeof processors, &processors);
  mix(state, &processors, sizeof processors);
  for (int k = 0; k < RLIMIT_NLIMITS; k++) {
    struct rlimit limit = {0};
    getrlimit((__rlimit_resource_t)k, &limit);
    mix(state, &limit, sizeof limit);
  }
  for (char **variable = environ; *variable; variable++)
    if (!is_idle(*variable)) mix_text(state, *variable);
}

uint64_t rh_cl_drivers_state(void) {
  static const char *const files[] = {"/etc/ld.so.cache", "/dev/nvidiactl", "/dev/nvidia0",
                                      "/dev/nvidia-uvm", "/dev/dri"};
  static const char *const places[] = {"/sys/devices/system/cpu", "/dev/shm"};
  const char *variables[] = {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"};
  char boot[64];
  uint64_t state = 1; /* to be changed when the queries to drivers change */
  mix_text(&state, REDHOST_VERSION);
  mix_vendors(&state, "/etc/OpenCL/vendors");
  for (size_t k = 0; k < sizeof variables / sizeof *variables; k++)
    if (rh_env(variables[k])) mix_vendors(&state, rh_env(variables[k]));
  if (rh_env("REDHOST_OPENCL")) mix_file(&state, rh_env("REDHOST_OPENCL"));
  if (rh_env("OCL_ICD_VENDORS")) mix_icd(&state, rh_env("OCL_ICD_VENDORS"));
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) mix_file(&state, files[k]);
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) mix_place(&state, places[k]);
  mix_contents(&state, "/proc/sys/kernel/random/boot_id", boot, sizeof boot);
  mix_process(&state);
  return state;
}

/* A driver for a CPU may link what it has compiled by a program of the system's. */
static int has_linker(const char *path) {
  char program[4352];
  size_t length;
  for (; *path; path += length + (path[length] == ':')) {
    length = strcspn(path, ":");
    snprintf(program, sizeof program, "%.*s/ld", (int)length, path);
    if (length < 4096 && access(program, X_OK) == 0) return 1;
  }
  return 0;
}

void rh_cl_drivers_limits(rh_text *to) {
  rh_limits_add(to);
  if (access("/sys/devices/system/cpu", R_OK) != 0) rh_text_add(to, "; /sys is not mounted");
  if (access("/proc/self", R_OK) != 0) rh_text_add(to, "; /proc is not mounted");
  if (!rh_env("PATH")) rh_text_add(to, "; PATH is not set");
  else if (!has_linker(rh_env("PATH"))) rh_text_add(to, "; no linker (ld) is in PATH");
}
