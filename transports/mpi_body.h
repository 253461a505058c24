/* The transport `mpi`, written once for libraries whose handles differ.
 *
 * The including file defines the handles' types and constants, the library's names, and how each is
 * started.  A library that is used is opened again with RTLD_GLOBAL: Open MPI's components look its
 * symbols up in the whole process, and MPI_Init fails otherwise.
 *
 * A gather goes through rank 0: it receives from each, then broadcasts.  So rank 0 knows who is
 * missing, and can name the rank.  Nothing blocks within MPI: requests are tested until a deadline
 * has passed, for a rank that is stopped would otherwise stop all others. */
#include <redhost/transport.h>

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FUNNELED = 1, TAG = 7411, ABORT_NS = 100000000 };

/* These functions of MPI are used.  X(result, name, parameters) */
#define MPI_FUNCTIONS(X)                                                                           \
  X(Init_thread, (int *, char ***, int, int *))                                                    \
  X(Initialized, (int *))                                                                          \
  X(Finalize, (void))                                                                              \
  X(Abort, (mpi_comm, int))                                                                        \
  X(Comm_dup, (mpi_comm, mpi_comm *))                                                              \
  X(Comm_free, (mpi_comm *))                                                                       \
  X(Comm_rank, (mpi_comm, int *))                                                                  \
  X(Comm_size, (mpi_comm, int *))                                                                  \
  X(Comm_split_type, (mpi_comm, int, int, mpi_info, mpi_comm *))                                   \
  X(Comm_set_errhandler, (mpi_comm, mpi_errhandler))                                               \
  X(Isend, (const void *, int, mpi_type, int, int, mpi_comm, mpi_request *))                       \
  X(Irecv, (void *, int, mpi_type, int, int, mpi_comm, mpi_request *))                             \
  X(Ibcast, (void *, int, mpi_type, int, mpi_comm, mpi_request *))                                 \
  X(Test, (mpi_request *, int *, void *))                                                          \
  X(Get_library_version, (char *, int *))

static struct {
  void *library;
  const char *path; /* as it was opened */
#define X(name, parameters) int(*name) parameters;
  MPI_FUNCTIONS(X)
#undef X
} mpi;

typedef struct mpi_job {
  mpi_comm comm;
  int rank, size, finalizes;
  mpi_request *requests; /* rank 0: of all ranks */
} mpi_job;

/* Only Open MPI's constants are objects. */
__attribute__((unused)) static void *mpi_object(const char *name) {
  return dlsym(mpi.library, name);
}

static int32_t fail(char *text, uint32_t bytes, const char *what) {
  snprintf(text, bytes, "%s", what);
  return -1;
}

/* ---- The library ---- */

/* REDHOST_MPI_LIBRARY: a file, for a library that is not where the loader looks.  Another one would
 * not be what was asked for. */
static int open_named(const char *path, char *text, uint32_t bytes) {
  mpi.path = path;
  mpi.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (mpi.library) return 0;
  const char *why = dlerror();
  snprintf(text, bytes, "REDHOST_MPI_LIBRARY names a file that cannot be opened: %s",
           why ? why : path);
  return -1;
}

static int open_library(char *text, uint32_t bytes) {
  const char *named = secure_getenv("REDHOST_MPI_LIBRARY");
  if (mpi.library) return 0;
  if (named && *named) return open_named(named, text, bytes);
  size_t used = (size_t)snprintf(text, bytes, "%s's library cannot be opened (tried", MY_NAME);
  for (int k = 0; !mpi.library && libraries[k]; k++) {
    mpi.path = libraries[k];
    mpi.library = dlopen(libraries[k], RTLD_NOW | RTLD_LOCAL);
    if (!mpi.library && used < bytes)
      used += (size_t)snprintf(text + used, bytes - used, " %s", libraries[k]);
  }
  if (mpi.library) return 0;
  if (used < bytes)
    snprintf(text + used, bytes - used, "); install it (Debian: %s), or name it in %s", MY_PACKAGE,
             "REDHOST_MPI_LIBRARY");
  return -1;
}

static int find_functions(char *text, uint32_t bytes) {
  const char *missing = NULL;
  void *found;
#define X(name, parameters)                                                                        \
  if ((found = dlsym(mpi.library, "MPI_" #name)))                                                  \
    memcpy(&mpi.name, &found, sizeof found);                                                       \
  else                                                                                             \
    missing = "MPI_" #name;
  MPI_FUNCTIONS(X)
#undef X
  if (!missing) return 0;
  snprintf(text, bytes, "%s has no %s, so it is not %s", mpi.path, missing, MY_NAME);
  return -1;
}

/* Is what was opened of the other kind?  REDHOST_MPI_LIBRARY may name anything, and handles that
 * are numbers would be read as pointers. */
static int check_kind(char *text, uint32_t bytes) {
  char version[8192] = "";
  int length = 0;
  mpi.Get_library_version(version, &length);
  int is_open = strstr(version, "Open MPI") != NULL;
  version[strcspn(version, "\n,")] = 0;
  for (char *at = version; *at; at++)
    if (*at == '\t') *at = ' ';
  if (is_open == (strcmp(MY_NAME, "Open MPI") == 0)) {
    snprintf(text, bytes, "%.80s (%.100s)", version, mpi.path);
    return 0;
  }
  snprintf(text, bytes, "%.100s is not %s but '%.60s'", mpi.path, MY_NAME, version);
  return -1;
}

static int size_in(const char *variable) {
  const char *value = getenv(variable);
  return value ? atoi(value) : 0;
}

static int32_t wrong_start(char *text, uint32_t bytes) {
  snprintf(
      text, bytes,
      "this process is one of %d that %s's mpirun started; for %s it would be alone: start the "
      "job with %s, or use the transport for %s",
      size_in(OTHER_SIZE), OTHER_NAME, MY_NAME, MY_START, OTHER_NAME);
  return RH_TRANSPORT_CANNOT;
}

static int32_t mpi_probe(char *text, uint32_t bytes) {
  int is_mine = size_in(MY_SIZE) > 0, runs = 0;
  if (!is_mine && size_in(OTHER_SIZE) > 1) return wrong_start(text, bytes);
  if (open_library(text, bytes) != 0 || find_functions(text, bytes) != 0 ||
      check_kind(text, bytes) != 0) {
    if (mpi.library) dlclose(mpi.library);
    mpi.library = NULL;
    return RH_TRANSPORT_CANNOT;
  }
  mpi.Initialized(&runs);
  if (runs) return RH_TRANSPORT_STARTED;
  return is_mine ? RH_TRANSPORT_STARTED : RH_TRANSPORT_CAN;
}

/* ---- The job ---- */

static int32_t drop(mpi_job *job, char *text, uint32_t bytes, const char *what) {
  if (job->finalizes) mpi.Finalize();
  free(job->requests);
  free(job);
  return fail(text, bytes, what);
}

static int local_rank(const mpi_job *job) {
  mpi_comm host;
  int rank = 0;
  if (mpi.Comm_split_type(job->comm, MPI_SHARED, job->rank, MPI_INFO_NULL, &host) != 0) return 0;
  mpi.Comm_rank(host, &rank);
  mpi.Comm_free(&host);
  return rank;
}

static int32_t join(mpi_job *job, char *text, uint32_t bytes) {
  int runs = 0, level;
  mpi.Initialized(&runs);
  if (!dlopen(mpi.path, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD))
    return fail(text, bytes, MY_NAME "'s symbols cannot be made global");
  if (!runs && mpi.Init_thread(NULL, NULL, FUNNELED, &level) != 0)
    return fail(text, bytes, MY_NAME "'s MPI_Init_thread failed");
  job->finalizes = !runs;
  if (mpi.Comm_dup(MPI_COMM_WORLD, &job->comm) != 0)
    return fail(text, bytes, MY_NAME "'s MPI_Comm_dup failed");
  mpi.Comm_set_errhandler(job->comm, MPI_ERRORS_RETURN);
  mpi.Comm_rank(job->comm, &job->rank);
  mpi.Comm_size(job->comm, &job->size);
  int said = size_in(MY_SIZE);
  if (said <= 1 || job->size != 1 || runs) return 0;
  snprintf(text, bytes,
           "mpirun says that it started %d ranks, but for %s this process is alone: the mpirun "
           "belongs to another MPI; start the job with %s",
           said, MY_NAME, MY_START);
  return -1;
}

static int32_t mpi_open(void **self, rh_rank_place *place, char *text, uint32_t bytes) {
  char why[512];
  if (mpi_probe(why, sizeof why) == RH_TRANSPORT_CANNOT) return fail(text, bytes, why);
  mpi_job *job = calloc(1, sizeof *job);
  if (!job) return fail(text, bytes, "no memory for the job");
  if (join(job, why, sizeof why) != 0) return drop(job, text, bytes, why);
  job->requests = calloc((size_t)job->size, sizeof *job->requests);
  if (!job->requests) return drop(job, text, bytes, "no memory for the job's requests");
  place->rank = (uint32_t)job->rank;
  place->size = (uint32_t)job->size;
  place->local_rank = (uint32_t)local_rank(job);
  *self = job;
  return 0;
}

/* ---- Gathering ---- */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Tests without rest at first, then leaves the processor to ranks that share it. */
static void rest(uint32_t *turns) {
  struct timespec nap = {0, 50000};
  if (++*turns > 200) nap.tv_nsec = 500000;
  if (*turns > 20) nanosleep(&nap, NULL);
}

/* 1: done; 0: the deadline has passed; -1: failed. */
static int finish(mpi_request *request, double deadline) {
  uint32_t turns = 0;
  for (;;) {
    int done = 0;
    if (mpi.Test(request, &done, MPI_STATUS_IGNORE) != 0) return -1;
    if (done) return 1;
    if (now() > deadline) return 0;
    rest(&turns);
  }
}

static int32_t missing(int rank, int code, double seconds, char *text, uint32_t bytes) {
  if (code < 0)
    snprintf(text, bytes, "rank %d cannot be reached: %s reports an error", rank, MY_NAME);
  else
    snprintf(text, bytes, "rank %d has not answered for %.0f s", rank, seconds);
  return -1;
}

static int32_t receive_all(mpi_job *job, uint32_t n, unsigned char *all, double seconds, char *text,
                           uint32_t bytes) {
  double deadline = now() + seconds;
  for (int r = 1; r < job->size; r++)
    if (mpi.Irecv(all + (size_t)r * n, (int)n, MPI_BYTE, r, TAG, job->comm, &job->requests[r]) != 0)
      return missing(r, -1, seconds, text, bytes);
  for (int r = 1; r < job->size; r++) {
    int code = finish(&job->requests[r], deadline);
    if (code != 1) return missing(r, code, seconds, text, bytes);
  }
  return 0;
}

static int32_t mpi_gather(void *self, const void *mine, uint32_t n, void *all, double seconds,
                          char *text, uint32_t bytes) {
  mpi_job *job = self;
  mpi_request request;
  uint64_t total = (uint64_t)n * (uint64_t)job->size;
  if (total > INT32_MAX) return fail(text, bytes, "the ranks' messages together exceed 2 GiB");
  memcpy((unsigned char *)all + (size_t)job->rank * n, mine, n);
  if (job->size == 1) return 0;
  /* Others wait a little longer, because rank 0 knows who is missing. */
  double patience = job->rank == 0 ? seconds : seconds + 2;
  if (job->rank == 0) {
    if (receive_all(job, n, all, seconds, text, bytes) != 0) return -1;
  } else if (mpi.Isend(mine, (int)n, MPI_BYTE, 0, TAG, job->comm, &request) != 0 ||
             finish(&request, now() + patience) != 1) {
    return missing(0, 0, patience, text, bytes);
  }
  if (mpi.Ibcast(all, (int)total, MPI_BYTE, 0, job->comm, &request) != 0)
    return missing(0, -1, patience, text, bytes);
  int code = finish(&request, now() + patience);
  return code == 1 ? 0 : missing(0, code, patience, text, bytes);
}

static volatile sig_atomic_t status_at_end;

static void end_now(int number) {
  (void)number;
  _exit(status_at_end);
}

/* While a rank is stopped, MPICH's MPI_Abort() does not return and its mpirun ends nobody: the ranks
 * that still run would wait for the lost one, and each would report it.  Once a process has ended
 * by itself, mpirun kills all others, the stopped one too. */
static void mpi_abort(void *self, int32_t exit_status, const char *sentence) {
  mpi_job *job = self;
  const struct itimerspec soon = {{0, 0}, {0, ABORT_NS}};
  timer_t timer; /* of SIGALRM, by default */
  struct sigaction action;
  (void)sentence;
  status_at_end = exit_status;
  memset(&action, 0, sizeof action);
  action.sa_handler = end_now;
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  if (sigaction(SIGALRM, &action, NULL) == 0 && timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0 &&
      timer_settime(timer, 0, &soon, NULL) == 0)
    pthread_sigmask(SIG_UNBLOCK, &alarm_only, NULL);
  mpi.Abort(job->comm, exit_status);
  _exit(exit_status);
}

static void mpi_close(void *self) {
  mpi_job *job = self;
  mpi.Comm_free(&job->comm);
  if (job->finalizes) mpi.Finalize();
  free(job->requests);
  free(job);
}

extern const rh_transport redhost_transport_v1;
RH_TRANSPORT_EXPORT const rh_transport redhost_transport_v1 = {
    .magic = RH_TRANSPORT_MAGIC,
    .struct_size = sizeof(rh_transport),
    .version = RH_TRANSPORT_VERSION,
    .name = "mpi",
    .description = MY_NAME,
    .probe = mpi_probe,
    .open = mpi_open,
    .gather = mpi_gather,
    .abort = mpi_abort,
    .close = mpi_close,
};
