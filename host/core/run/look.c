/* Lists OpenCL's devices in a child first, so that a crashing driver takes down only the child. */
#include "run.h"

#include <dirent.h>
#include <sched.h>
#include <sys/resource.h>

extern char **environ;

enum { MOST_REMEMBERED = 128 };
static const double limit_s = 30; /* some drivers power up a device first, which takes seconds */

/* ---- The state that decides whether the drivers start, found before any of them is loaded: the
 * loader's list of drivers and their files, the environment, the resource limits, user, processors,
 * mounts, the boot ---- */

/* Adds the file's identity without reading it. */
static void add_file(rh_text *to, const char *path) {
  struct stat st;
  if (stat(path, &st) == 0)
    rh_text_add(to, "%s %ju %ju %jd %jd.%09ld %o\n", path, (uintmax_t)st.st_dev,
                (uintmax_t)st.st_ino, (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec,
                st.st_mtim.tv_nsec, (unsigned)st.st_mode);
}

/* Adds what is mounted there, because its contents change all the time. */
static void add_place(rh_text *to, const char *path) {
  struct stat st;
  if (stat(path, &st) == 0)
    rh_text_add(to, "%s %ju %ju\n", path, (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
}

static void add_contents(rh_text *to, const char *path, char *bytes, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  ssize_t got = fd < 0 ? -1 : read(fd, bytes, size - 1);
  if (fd >= 0) close(fd);
  bytes[got > 0 ? got : 0] = 0;
  rh_text_add(to, "%s\n", bytes);
}

/* One file of the loader's list: its content, and the library that its first line names. */
static void add_icd(rh_text *to, const char *path) {
  char library[1024], candidate[1300];
  static const char *const usual[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                      "/usr/lib64", "/usr/lib", "/usr/local/lib"};
  add_file(to, path);
  add_contents(to, path, library, sizeof library);
  library[strcspn(library, "\r\n")] = 0;
  if (strchr(library, '/')) add_file(to, library);
  for (size_t k = 0; k < sizeof usual / sizeof *usual && !strchr(library, '/'); k++) {
    snprintf(candidate, sizeof candidate, "%s/%s", usual[k], library);
    add_file(to, candidate);
  }
}

static void add_vendors(rh_text *to, const char *path) {
  char file[4352];
  struct dirent **names;
  int n = scandir(path, &names, NULL, alphasort);
  add_file(to, path);
  for (int k = 0; k < n; k++) {
    snprintf(file, sizeof file, "%s/%s", path, names[k]->d_name);
    if (names[k]->d_name[0] != '.') add_icd(to, file);
    free(names[k]);
  }
  if (n >= 0) free(names);
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

static void add_process(rh_text *to) {
  cpu_set_t processors;
  rh_text_add(to, "%u %u %u %u\n", getuid(), geteuid(), getgid(), getegid());
  CPU_ZERO(&processors);
  sched_getaffinity(0, sizeof processors, &processors);
  rh_text_append(to, (const char *)&processors, sizeof processors);
  for (int k = 0; k < RLIMIT_NLIMITS; k++) {
    struct rlimit limit = {0};
    getrlimit((__rlimit_resource_t)k, &limit);
    rh_text_append(to, (const char *)&limit, sizeof limit);
  }
  for (char **variable = environ; *variable; variable++)
    if (!is_idle(*variable)) rh_text_add(to, "%s\n", *variable);
}

/* If two calls return the same hash, drivers that started the first time start again. */
static uint64_t state_of_drivers(void) {
  static const char *const files[] = {"/etc/ld.so.cache", "/dev/nvidiactl", "/dev/nvidia0",
                                      "/dev/nvidia-uvm", "/dev/dri"};
  static const char *const variables[] = {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"};
  char boot[64];
  RH_FINISHED(rh_text) state = {0};
  rh_text_add(&state, "1 %s\n", REDHOST_VERSION); /* 1 changes when the queries to drivers do */
  add_vendors(&state, "/etc/OpenCL/vendors");
  for (size_t k = 0; k < sizeof variables / sizeof *variables; k++)
    if (rh_env(variables[k])) add_vendors(&state, rh_env(variables[k]));
  if (rh_env("REDHOST_OPENCL")) add_file(&state, rh_env("REDHOST_OPENCL"));
  if (rh_env("OCL_ICD_VENDORS")) add_icd(&state, rh_env("OCL_ICD_VENDORS"));
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) add_file(&state, files[k]);
  add_place(&state, "/sys/devices/system/cpu");
  add_place(&state, "/dev/shm");
  add_contents(&state, "/proc/sys/kernel/random/boot_id", boot, sizeof boot);
  add_process(&state);
  return rh_hash(0, rh_text_get(&state), state.length);
}

void rh_drivers_limits(rh_text *to) {
  /* A driver for a CPU may link what it has compiled by a program of the system's. */
  RH_FREED(char) linker = rh_path_search("ld", X_OK);
  rh_limits_add(to);
  if (access("/sys/devices/system/cpu", R_OK) != 0) rh_text_add(to, "; /sys is not mounted");
  if (access("/proc/self", R_OK) != 0) rh_text_add(to, "; /proc is not mounted");
  if (!rh_env("PATH")) rh_text_add(to, "; PATH is not set");
  else if (!linker) rh_text_add(to, "; no linker (ld) is in PATH");
}

/* ---- The record: <cache>/drivers/<state>, an empty file, exists if the drivers started ---- */

/* Removes all entries when there are many; they can be recreated. */
static void make_room(const char *directory) {
  DIR *files = opendir(directory);
  struct dirent *entry;
  int n = 0;
  while (files && readdir(files)) n++;
  if (files && n > MOST_REMEMBERED) rewinddir(files);
  while (files && n > MOST_REMEMBERED && (entry = readdir(files)))
    unlinkat(dirfd(files), entry->d_name, 0);
  if (files) closedir(files);
}

static void remember(const rh_cache *cache, const char *memory) {
  RH_FREED(char) directory = memory ? rh_path_join(cache->directory, "drivers") : NULL;
  if (directory) make_room(directory);
  /* If it cannot be written, the drivers are probed again the next time. */
  if (directory) rh_file_write(memory, "", 0);
}

/* ---- The child ---- */

typedef struct looking {
  rh_child child;
  int begun;
} looking;

/* Other output of a driver is ignored. */
static rh_fate take_line(void *user, const char *line, size_t length, rh_error *error) {
  looking *look = user;
  (void)length;
  (void)error;
  if (strcmp(line, "found") == 0) return RH_FATE_HEARD;
  look->begun |= strcmp(line, "begin") == 0;
  return RH_GOES_ON;
}

static rh_status start(const rh_options *options, rh_child *child) {
  RH_FINISHED(rh_text) request = {0};
  RH_FREED(char) program = NULL;
  RH_TRY(rh_child_program(options, &program, NULL));
  rh_request_begin(&request);
  RH_TRY(rh_request_end(&request, NULL));
  const rh_child_spec spec = {.program = program,
                              .role = "--look",
                              .request = request.s,
                              .bytes = request.length,
                              .data = -1,
                              .output = RH_OUTPUT_KEPT};
  return rh_child_start(child, &spec, NULL);
}

static rh_status refuse(const rh_child *child, rh_error *error) {
  char how[320];
  RH_FINISHED(rh_text) limits = {0};
  rh_child_name(child, "while it listed its devices", how, sizeof how);
  rh_drivers_limits(&limits);
  return rh_fail(error, RH_E_DEVICE,
                 "no OpenCL device can be used: a driver %s%s. Set OCL_ICD_VENDORS to a directory "
                 "that lists the others only",
                 how, rh_text_get(&limits));
}

/* *known: 1 if the drivers have started. */
static rh_status ask_child(const rh_options *options, int *known, rh_error *error) {
  looking look = {.child = {.take = take_line, .limit_s = limit_s, .limit_bytes = 4096}};
  look.child.user = &look;
  /* Without a child, this process queries the drivers itself. */
  if (start(options, &look.child) != RH_OK) return RH_OK;
  *known = rh_child_listen(&look.child, NULL) == RH_FATE_HEARD;
  /* The result is known, so its destructors are not waited for. */
  rh_child_end(&look.child, 0);
  return *known || !look.begun ? RH_OK : refuse(&look.child, error);
}

static void *do_nothing(void *nothing) { return nothing; }

/* Drivers start threads, and some abort if they cannot: in containers that deny clone3(), or at
 * a limit on processes.  An earlier successful start does not rule this out. */
static rh_status check_threads(rh_error *error) {
  pthread_t thread;
  int code = pthread_create(&thread, NULL, do_nothing, NULL);
  if (code != 0)
    return rh_fail(error, RH_E_DEVICE,
                   "no OpenCL device can be used: no thread can be started here: %s",
                   strerror(code));
  pthread_join(thread, NULL);
  return RH_OK;
}

rh_status rh_look_at_drivers(const rh_options *options, const rh_cache *cache, rh_error *error) {
  if (rh_is_privileged()) return RH_OK; /* none will be opened */
  RH_TRY(check_threads(error));
  RH_FREED(char) memory = NULL;
  int known = 0;
  if (cache->directory &&
      asprintf(&memory, "%s/drivers/%016" PRIx64, cache->directory, state_of_drivers()) < 0)
    memory = NULL;
  if (memory && access(memory, F_OK) == 0) return RH_OK;
  RH_TRY(ask_child(options, &known, error));
  if (known) remember(cache, memory);
  return RH_OK;
}

int rh_look_main(void) {
  rh_cl_devices devices;
  rh_child_request request;
  if (rh_request_receive(&request) != 0) return 2;
  int channel = rh_channel_open(request.parent);
  rh_request_finish(&request);
  if (channel < 0 || rh_write_all(channel, "begin\n", 6, RH_BYTES_HERE) != 0 ||
      rh_cl_devices_find(&devices, NULL) != RH_OK)
    return 3;
  int failed = rh_write_all(channel, "found\n", 6, RH_BYTES_HERE);
  rh_cl_devices_finish(&devices);
  return failed ? 3 : 0;
}
