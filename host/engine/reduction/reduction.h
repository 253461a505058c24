/* A reduction in parts: where its data are, who reduces them, and in which order. */
#pragma once

#include "../partial/partial.h"
#include "../segments/segments.h"

/* Where the elements of a stream come from: files and pipes, generated data, or arrays. */

typedef struct rh_source rh_source;

struct rh_source {
  uint32_t n_operands;
  rh_type types[RH_MOST_OPERANDS];
  /* Elements of each operand, of which those from `first` on are there, if they are a part of more;
   * UINT64_MAX: n is known only at the end. */
  uint64_t n, first;
  int in_order; /* 1: pieces are read one after the other, in index order */
  uint64_t seed;
  const char *kind;                 /* of generated data */
  rh_feed *feeds[RH_MOST_OPERANDS]; /* of files and pipes */
  const void *arrays[RH_MOST_OPERANDS];
  const void *tails[RH_MOST_OPERANDS]; /* of arrays: elements from `tail` on; or null */
  uint64_t tail;
  /* Writes elements first .. first+n-1 of operand k to `to`; *got is fewer only at the end of a
   * source of unknown length.  Any thread, unless in_order. */
  rh_status (*read)(const rh_source *source, uint32_t k, uint64_t first, uint64_t n, void *to,
                    const atomic_int *stop, uint64_t *got, rh_error *error);
};

/* feeds: open, of equal lengths where they are known, at most one of them a pipe of unknown length;
 * borrowed.  RH_E_USAGE, with both names, where they are not. */
rh_status rh_source_of_feeds(rh_source *source, rh_feed *const *feeds, uint32_t n_operands,
                             rh_error *error);

/* n elements of a kind that exists.  Operand k has the seed `seed` + k, as
 * rh_operand_data_fill() gives it. */
void rh_source_generated(rh_source *source, const char *kind, uint64_t seed, const rh_type *types,
                         uint32_t n_operands, uint64_t n);

/* Where the page cache holds elements first .. first+n-1 of a file, they are reduced where they are
 * by what reads the host's memory: rh_feed_view() has the rules. */
void rh_source_view(rh_source *source, uint64_t first, uint64_t n, int leaves);
/* *at: where elements first .. first+n-1 of operand k lie; null: they have to be read.
 * RH_E_FILE if reading them has failed.  [any thread] */
rh_status rh_source_at(const rh_source *source, uint32_t k, uint64_t first, uint64_t n,
                       const void **at, rh_error *error);
/* Elements first .. first+n-1 of all operands are done with.  [any thread] */
void rh_source_leave(const rh_source *source, uint64_t first, uint64_t n);
/* 1: all operands are viewed. */
int rh_source_is_viewed(const rh_source *source);

/* Arrays in the host's memory, which are borrowed: of n elements they hold those from `first` on,
 * and only these are read.  tails and tail may be set then. */
void rh_source_of_arrays(rh_source *source, const rh_operator *op, const void *const *arrays,
                         uint64_t first, uint64_t n);

/* After all was read: RH_E_FILE if a file changed meanwhile. */
rh_status rh_source_check_unchanged(const rh_source *source, rh_error *error);

/* The member "source" of an operation's text: kind, seed and number of generated elements; how
 * those of a file of several dimensions are stored, for the order decides which element has which
 * index.  of_files: 1: with what tells one file from another.  A new reference, or null if out of
 * memory. */
struct json_t *rh_source_identity(const rh_source *source, int of_files);

/* Decides which chunk of a source is read next, and for which device: each gets chunks as it has
 * room for them, and towards the end only what it can reduce before the others would be done
 * without it.
 *
 * A worker is a device's side of the schedule.  It holds the chunks that were dealt to it and whose
 * values are not there yet.  A worker that is given up returns them, and others get them. */

enum { RH_MOST_WORKERS = 64, RH_RING_MOST_SLOTS = 32 };

typedef struct rh_schedule_worker {
  uint64_t held[RH_RING_MOST_SLOTS]; /* chunks, in the order of the schedule */
  uint32_t n_held, is_gone;
  uint64_t done;  /* chunks */
  double begin_s; /* of rh_now(), when it got its first */
} rh_schedule_worker;

typedef struct rh_schedule {
  const rh_source *source; /* borrowed */
  uint64_t chunk_n;        /* elements; only the last chunk has fewer */
  uint64_t n;              /* no chunk has elements behind so many: those of the source, or fewer */
  pthread_mutex_t in_order; /* held while a source that has an order is read */
  /* The rest is the schedule's own, and changes under `lock`. */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  /* Chunks; end: UINT64_MAX if it is not known yet.  Fewer are dealt if both are set before the
   * first is. */
  uint64_t next, end;
  uint64_t done_n;    /* elements */
  uint64_t *returned; /* chunks */
  uint32_t n_returned;
  uint32_t n_workers;
  rh_schedule_worker *workers;
} rh_schedule;

/* n_workers: 1 to RH_MOST_WORKERS.  The source must outlive the schedule, which is finished after a
 * failure, too. */
rh_status rh_schedule_init(rh_schedule *schedule, const rh_source *source, uint64_t chunk_n,
                           uint32_t n_workers, rh_error *error);
void rh_schedule_finish(rh_schedule *schedule); /* zero-initialised is fine */

/* *index: the next chunk for the worker.  Waits until it should have one; 0 if there is nothing
 * more for it, or once *stop is 1.  A worker holds at most RH_RING_MOST_SLOTS.  [any thread] */
int rh_schedule_next(rh_schedule *schedule, uint32_t worker, const atomic_int *stop,
                     uint64_t *index);

/* Chunk `index`, which the worker holds, has n elements; if these are fewer than a chunk has, it is
 * the last one, or without elements behind it.  [any thread] */
void rh_schedule_read(rh_schedule *schedule, uint32_t worker, uint64_t index, uint64_t n);

/* The value of chunk `index`, of n elements, is there.  [any thread] */
void rh_schedule_done(rh_schedule *schedule, uint32_t worker, uint64_t index, uint64_t n);

/* The worker gets no more, and others get what it holds.  1 if there are others.  [any thread] */
int rh_schedule_give_up(rh_schedule *schedule, uint32_t worker);

/* While a thread waits for others it reports progress, and hears the user, this often [seconds]. */
static const double rh_report_period_s = 0.1;

/* Reports what is done as progress. */
rh_status rh_schedule_report(rh_schedule *schedule, const rh_reporter *reporter, rh_error *error);

/* The chunks that are dealt to one device, read by several threads into a ring of slots ahead of
 * the thread that reduces them.
 *
 * Readers fill one slot together, piece by piece, before they begin the next: the first chunk is
 * there early, and few slots, which the processors' last cache holds, keep all readers busy.
 *
 * A slot is free, is being filled and looked at, is ready, or is with the caller, who takes ready
 * slots in the order of the schedule and gives each back once nothing reads it any more.  Memory is
 * that of the slots, however long the source is. */

enum { RH_RING_MOST_THREADS = 16 };

typedef struct rh_ring rh_ring;

/* With the caller, everything is the caller's to read. */
typedef struct rh_ring_slot {
  uint32_t number; /* of its memory */
  void *memory;
  uint64_t index;    /* of the chunk */
  uint64_t first, n; /* its elements */
  /* Where they are on the host: in `memory`, or where the source has them. */
  const void *operands[RH_MOST_OPERANDS];
  double read_s[2]; /* when reading began and ended, of rh_now() */
  void *note;       /* what `check` left, malloc'ed; the ring frees what is not null at the end */
  /* The caller's, null and zeros at first: the copy, and the first and last command of the
   * reduction; or when one without events began and ended. */
  cl_event sent, first_done, last_done;
  double run_s[2];
  /* The ring's own. */
  int state;
  uint32_t n_pieces, begun, left; /* pieces: in all, those that a reader has taken, not yet read */
} rh_ring_slot;

typedef struct rh_ring_spec {
  rh_schedule *schedule;
  uint32_t worker; /* of the schedule, for this ring alone */
  /* At most RH_RING_MOST_SLOTS, RH_RING_MOST_THREADS.  Of a source that has an order, the first
   * reader reads, and the others check. */
  uint32_t n_slots, n_readers;
  uint64_t piece_n;        /* elements that a reader takes at a time; 0: whole chunks */
  void *const *memory;     /* of the slots */
  const uint64_t *offsets; /* of the operands in a slot's memory, in bytes */
  int views;               /* 1: what the source has in memory is not copied into a slot's */
  /* Looks at a chunk before the caller gets it; or null.  [several threads] */
  rh_status (*check)(void *user, rh_ring_slot *slot, rh_error *error);
  void *user;
  /* It reports the progress of the whole schedule; null: another ring reports it. */
  const rh_reporter *reporter;
} rh_ring_spec;

/* Starts the threads.  *spec and what it points to must outlive the ring, which is to be destroyed
 * after a failure, too. */
rh_status rh_ring_create(rh_ring **ring, const rh_ring_spec *spec, rh_error *error);

/* The next chunk; null after the last one.  Waits for it, and reports progress meanwhile.  Fails
 * with what a reader or a check failed with, or RH_E_CANCELLED. */
rh_status rh_ring_take(rh_ring *ring, rh_ring_slot **slot, rh_error *error);
/* The k-th chunk of the ring, such as one that was taken and not given back yet. */
rh_ring_slot *rh_ring_slot_of(rh_ring *ring, uint64_t k);

/* Waits at most so many seconds.  1: rh_ring_take() would return without waiting. */
int rh_ring_await(rh_ring *ring, double seconds);

void rh_ring_give_back(rh_ring *ring, rh_ring_slot *slot);

/* Everything in the ring stops, even if a pipe has nothing to read, and rh_ring_take() fails with
 * *why.  [any thread] */
void rh_ring_stop(rh_ring *ring, const rh_error *why);

/* Stops and joins the threads.  Null is legal. */
void rh_ring_destroy(rh_ring *ring);

/* The way of chunks to a device: the memory of a ring's slots, a queue for copies and one for
 * reductions.  It does not depend on what is reduced, so that it serves one reduction after
 * another, and is pinned and allocated once.
 *
 * A device with its own memory gets each chunk as a copy from pinned memory, which drivers copy
 * from while kernels run.  OpenCL pins what it allocates itself: a CL_MEM_ALLOC_HOST_PTR buffer
 * that is mapped once and stays mapped.  Where that fails, memory is pageable, and drivers may copy
 * from it one after the other.  A device that shares the host's memory reads the slot itself, which
 * is mapped only while it is filled.  Without a device, slots are plain memory. */

/* May be moved; instances keep its session.  Zero-initialised may be finished. */
typedef struct rh_staging {
  rh_cl_session *session;     /* of its own: its queue is the one for reductions; null: the host */
  cl_command_queue copies;    /* in which slots are mapped, too; null: the host */
  cl_mem values;              /* of the slots' chunks, on the device */
  unsigned char *read_values; /* where they are read to */
  uint32_t n, shares;         /* slots; 1: the device reads the host's memory */
  uint32_t is_pinned;
  uint64_t bytes;                    /* of each slot */
  void *memory[RH_RING_MOST_SLOTS];  /* where the host fills it; null while the device has it */
  cl_mem pinned[RH_RING_MOST_SLOTS]; /* what is mapped; null: `region` */
  cl_mem input[RH_RING_MOST_SLOTS];  /* what kernels read; null: no device */
  rh_region region;
  rh_error unpinned;   /* why the slots are not pinned, or status 0 */
  double clock_offset; /* from the device's clock to rh_now() */
} rh_staging;

/* At least n_slots slots of at least `bytes` bytes; what is there already is kept if it suffices.
 * session: the device's, borrowed until rh_staging_finish(), whose own queue is not used; null: the
 * host.  The staging must be idle.  RH_E_DEVICE if the device has no memory for as many.  After a
 * failure it may be opened again. */
rh_status rh_staging_open(rh_staging *staging, const rh_cl_session *session, uint32_t n_slots,
                          uint64_t bytes, rh_error *error);

/* Begins to bring `bytes` of slot k to the device.  *done: when they are there; the caller's. */
rh_status rh_staging_send(rh_staging *staging, uint32_t k, uint64_t bytes, cl_event *done,
                          rh_error *error);
/* The device is done with slot k, if it was sent: it can be filled again. */
rh_status rh_staging_return(rh_staging *staging, uint32_t k, rh_error *error);

/* Waits for the device, and makes every slot one that can be filled, also after a failure. */
rh_status rh_staging_clear(rh_staging *staging, rh_error *error);

/* Waits for the device.  No instance may use the session any more. */
void rh_staging_finish(rh_staging *staging);

/* ---- The devices of a stream, each with its strategy and its slots ---- */

/* Chunks where the caller names no size, in MiB: the host's, from and to, by the processors' cache;
 * and those of a device with memory of its own. */
#define RH_STREAM_LEAST_MIB  1
#define RH_STREAM_MOST_MIB   4
#define RH_STREAM_DEVICE_MIB 16

/* Chunks that are sent before one is reduced, and that are reduced before one is fetched: so many
 * copies and reductions are queued meanwhile. */
enum { RH_STREAM_AHEAD = 2 };

/* A device of a stream, or the host, with a strategy that is set up for chunks, and what became of
 * it.  Zero-initialise what follows `device`, but for the staging; one that has a failure
 * beforehand is passed over.  It must not be moved once it is set up. */
typedef struct rh_worker {
  rh_context *context; /* its own, for its session and what is tuned for it; borrowed */
  /* The problem and the strategy: all devices have the same operator on the same types.  n and
   * offsets do not count.  A user's operator has rh_custom_take_base(). */
  const rh_job_spec *job;
  const rh_cl_device *device; /* the strategy's, of rh_job_device(); null: the host */
  rh_job chunk; /* of chunk_n elements; of use afterwards for what the strategy answered */
  uint64_t chunk_n;
  uint64_t whole_n;                   /* what n is in a map */
  uint64_t offsets[RH_MOST_OPERANDS]; /* of the operands in a slot */
  rh_staging *staging;                /* its own, or another of that device that it borrows */
  rh_staging own;
  uint32_t readers, slots; /* threads, and slots */
  uint64_t piece_n;        /* rh_ring_spec has it */
  uint32_t is_up;          /* 1: it was set up */
  uint64_t chunks, n;      /* whose values it gave, and their elements */
  rh_error failure;        /* why it was left out, or left the work to others; or status 0 */
} rh_worker;

/* How a source, or a part of it, is reduced: to a value, to values of segments, or as data that
 * stay. */
typedef struct rh_reduction_spec {
  const rh_reporter *reporter; /* of the progress, in the thread of the caller */
  const rh_source *source;     /* of segments, and of data that stay: of known length */
  /* The workers; those that are up already are not set up.  Of segments: each has a strategy for
   * the layout in its job, and nothing is set up in it; nor is it of data that stay, of which `n`,
   * `is_up` and `failure` say what became. */
  rh_worker *devices;
  uint32_t n_devices; /* 1 to RH_MOST_WORKERS */
  uint32_t processes; /* that share this host's processors */
  /* Elements first .. first+n-1, of the partial's whole_n; n: UINT64_MAX, if only reading shows
   * where the source ends. */
  uint64_t first, n;
  uint64_t chunk_bytes;   /* of the largest operand, at most; 0: what suits the devices */
  const atomic_int *stop; /* null, or 1: another rank has failed */

  /* ---- Of a value ---- */
  uint32_t ends_if_wrong; /* 1: with RH_E_WRONG at the first wrong chunk; 0: the partial knows it */
  /* Null: chunks go through the workers' staging buffers.  Else there is one worker, this one's
   * strategy, which is set up for 2^most_level tiles, and reads arrays where they are, or from the
   * inputs. */
  rh_job *job;
  rh_cl_input *inputs; /* of the operands, kept by the caller */
  uint32_t most_level;

  /* ---- Of segments ---- */
  const rh_axes *axes; /* null; or those of a layout of their copy, of arrays */
  uint32_t rank, size; /* of a job, each of which does some of the parts; size 1: all */
  /* Null, and every rank has all elements; or rank r has those from starts[r] on, with starts[size]
   * at the end, and after rh_segments_reduction_ends() what its parts need of those behind. */
  const uint64_t *starts;
  uint32_t check; /* RH_CHECK_*; of data that stay, too, whose sample is all of them */

  /* ---- Of data that stay in the devices' memories (rh_resident) ---- */
  /* Bytes that parts in the host's own memory may take, which devices of the host's share; 0: any
   * number.  A source that is read in any order; what is generated is split. */
  uint64_t most_host_bytes;
} rh_reduction_spec;

/* Elements of a chunk of at most `bytes` bytes of the largest operand: a power of two of tiles, and
 * at least one. */
uint64_t rh_chunk_n(const rh_job_spec *spec, uint64_t bytes);
/* Elements of a chunk, as the spec has it or suits its devices.  check: RH_CHECK_*. */
uint64_t rh_stream_chunk_n(const rh_reduction_spec *spec, int check);

/* Releases what was set up.  [when nothing is on its way] */
void rh_worker_finish(rh_worker *device);

/* Sets up the strategies and slots of all that have no failure yet.  Workers that decline or cannot
 * be set up are left out, as those are that have one, with warnings; without any, it fails as the
 * first did.  whole_n: UINT64_MAX, if it is not known; check: RH_CHECK_*. */
rh_status rh_workers_set_up(const rh_reduction_spec *spec, uint64_t chunk_n, uint64_t whole_n,
                            int check, rh_error *error);

/* Tries a strategy that is set up on a few elements, for what no check of the answer would show. */
rh_status rh_stream_try(rh_job *job, int check, rh_error *error);

/* May the other devices of a stream do without one that could not be used, for this reason? */
int rh_stream_may_leave_out(rh_status status);

/* Warns of devices that have a failure: that those that were up `what`; null: that the others are
 * left out. */
void rh_workers_warn(const rh_reduction_spec *spec, const char *what);

/* When a chunk was read, copied and reduced: begin and end, of rh_now(). */
typedef struct rh_chunk_times {
  uint64_t index;
  double read[2], copy[2], run[2]; /* copy: zeros without a copy */
} rh_chunk_times;

/* ---- Threads of a reduction, each with a device of its own ---- */

typedef struct rh_crew {
  pthread_mutex_t lock; /* of what follows, and of all that its threads share */
  pthread_cond_t ended;
  uint32_t n, running;
  pthread_t threads[RH_MOST_WORKERS];
  rh_error failure; /* the first that ends it all */
  atomic_int stop;  /* 1: there is one */
} rh_crew;

void rh_crew_init(rh_crew *crew);
void rh_crew_finish(rh_crew *crew);

/* `run` calls rh_crew_leave() at its end. */
rh_status rh_crew_start(rh_crew *crew, void *(*run)(void *), void *user, rh_error *error);
void rh_crew_leave(rh_crew *crew);
void rh_crew_fail(rh_crew *crew, const rh_error *why); /* [any thread] */

/* Waits until all have ended, which may take long, and returns the failure.  Meanwhile it has
 * progress reported; a report that fails ends it all. */
rh_status rh_crew_wait(rh_crew *crew, void (*report)(void *user), void *user, rh_error *error);

/* The reduction of a source, or of a part of it, to a partial: chunk by chunk, by one worker or
 * several, in the memory of a few chunks for each.  Memory, streams, several devices, ranks and
 * distributed calls differ in its settings. */

enum { RH_REDUCTION_MOST_TIMES = 4096 };

/* The end of a run: fails as it did, or because a file changed meanwhile, which explains other
 * errors: strategy and reference may see different bytes. */
rh_status rh_reduction_settle(const rh_reduction_spec *spec, rh_status status, const rh_error *why,
                              rh_error *error);

/* Read-only. */
typedef struct rh_reduction {
  rh_reduction_spec spec;
  rh_partial *partial;
  uint64_t n, chunks; /* elements and chunks whose values were added */
  uint64_t chunk_n, slot_bytes;
  uint32_t slots, readers, is_pinned, in_place;
  double setup_s, seconds; /* from the first read to the last value */
  double read_s, copy_s, run_s;
  double copies[2]; /* when the first one began and the last one ended, from the first read on */
  uint32_t n_times;
  rh_chunk_times *times;     /* of the first chunks, from the first read on */
  uint64_t tile, begin, end; /* tiles that are reduced: begin .. end-1 */
  uint32_t most_level;       /* a chunk has 2^level tiles, at most */
  uint32_t level;            /* of those that are reduced now */
  double begin_s;
  rh_schedule schedule;
  struct rh_streamer *streamers; /* of workers that have not failed, at one run of chunks */
  uint32_t n_streamers;
  rh_crew crew; /* its lock: of the partial, and what was counted */
} rh_reduction;

/* Sets up the workers, so that every refusal comes before data are read; reads no element.  A
 * worker whose strategy declines or cannot be set up is left out, if there are others.
 *
 * *partial was initialised with what is reduced, and gets what the part comes to.  The arguments
 * must live until rh_reduction_close(), which is called after a failure, too. */
rh_status rh_reduction_open(rh_reduction **reduction, const rh_reduction_spec *spec,
                            rh_partial *partial, rh_error *error);

/* Once.  A worker that fails leaves its chunks to the others, unless the source is read in order;
 * its `failure` says why, and the call succeeds.  RH_E_FILE if a file changed meanwhile. */
rh_status rh_reduction_run(rh_reduction *reduction, rh_error *error);

void rh_reduction_close(rh_reduction *reduction); /* null is legal */

/* `count` chunks of the level from tile `at` on, by the workers; UINT64_MAX: all that there are. */
rh_status rh_reduction_stream(rh_reduction *reduction, uint64_t at, uint64_t count,
                              rh_error *error);
/* Adds the value of a chunk.  [one thread at a time] */
rh_status rh_reduction_add(rh_reduction *reduction, const rh_job *by, const rh_partial_chunk *chunk,
                           rh_error *error);

/* Arrays in the host's memory that reach a device through its ring: threads copy them into pinned
 * slots, a queue copies the slots to the device, and another one reduces them there.  Drivers copy
 * from other memory at a fifth of that speed.  It also takes arrays that a device cannot hold. */

/* How many elements of arrays an opened job of a device gets as a whole: as many as the device can
 * hold; or if it has memory of its own, arrays of few_bytes, but not where chunks would change the
 * bits of an answer that the device can give in one piece.  More go through a ring. */
uint64_t rh_arrays_most_whole(const rh_job *job, uint64_t few_bytes);
int rh_arrays_ring(const rh_job *job, uint64_t few_bytes); /* 1: the job's n are more */

/* Does the strategy of an opened job give the same bits in any chunks? */
int rh_arrays_keep_bits(const rh_job *job);

/* A ring for arrays, set up for the strategy that was found for all their elements in `found`, an
 * opened job.  spec: of the whole, whose strings live as long as the ring.  staging: borrowed, or
 * null.  check: RH_CHECK_*, for the test of the strategy.  *ring is to be closed after a failure,
 * too. */
rh_status rh_arrays_open(rh_worker **ring, const rh_job *found, const rh_job_spec *spec,
                         rh_staging *staging, int check, rh_error *error);
void rh_arrays_close(rh_worker **ring); /* null is legal */

/* Adds what elements first .. first+n-1 of the arrays come to.  how: an opened device, or a job
 * with its inputs; the rest is set here.  RH_E_WRONG for a wrong chunk.  After a failure nothing
 * reads the arrays any more, and another call may follow. */
rh_status rh_arrays_reduce_part(const rh_reduction_spec *how, const rh_source *arrays,
                                uint64_t first, uint64_t n, rh_partial *partial, rh_error *error);

/* rh_call.stream: reduces n > 0 elements of each operand by a ring that is open to *value, of the
 * operator's value_size bytes and aligned to 16.  *depth (may be null) = the depth of the answer;
 * 0: unknown. */
rh_status rh_arrays_reduce(void *ring, const void *const *arrays, uint64_t n, void *value,
                           uint64_t *depth, rh_error *error);

/* ---- The elements of a part of segments, brought together where a strategy reads them ---- */

/* Zero-initialised may be finished. */
typedef struct rh_elements_room {
  rh_region region;
  const void *operands[RH_MOST_OPERANDS]; /* of the latest part */
  uint32_t is_copy;                       /* 0: they are the source's own */
} rh_elements_room;
void rh_elements_room_finish(rh_elements_room *room);

/* axes: null, or those of which the part's segments are, in arrays. */
rh_status rh_elements_bring(rh_elements_room *room, const rh_source *source, const rh_axes *axes,
                            const rh_segments_part *part, const rh_job_spec *spec,
                            const atomic_int *stop, rh_error *error);

/* Where data that are split once, among several devices, are cut: into runs of tiles that leave few
 * nodes of the canonical tree (rh_fold) on either side. */

/* starts[k] .. starts[k+1]-1 = the units of part k, of `n` parts whose shares are as their weights,
 * which are positive: a cut stands where its multiple of 2 is the largest that moves it by no more
 * than a hundredth or so of a neighbour's share.  Parts may be empty.  starts: n + 1. */
void rh_partition(uint64_t units, const double *weights, uint32_t n, uint64_t *starts);

/* *to .. *to + *count - 1 = the elements of rank `rank`, when `size` ranks share n elements from
 * `first` on: runs in the order of the ranks, cut between tiles, where the tree has few nodes on
 * either side. */
void rh_partition_ranks(uint64_t tile, uint64_t first, uint64_t n, uint32_t rank, uint32_t size,
                        uint64_t *to, uint64_t *count);

/* The level of the largest node that begins at unit `first` of a part that ends before unit `end`;
 * the last one of all `units` may reach beyond their end. */
uint32_t rh_partition_level(uint64_t first, uint64_t end, uint64_t units);

/* One device, or the host, with a run of elements that stays in its memory, and a strategy that is
 * set up for it. */

/* Read-only.  Zero-initialised may be finished. */
typedef struct rh_resident_part {
  rh_job job;                                /* of as many elements as the largest node has */
  uint64_t whole_n;                          /* elements of all parts */
  uint64_t first, n;                         /* elements of this one */
  uint64_t offsets[RH_MOST_OPERANDS], bytes; /* of the operands, side by side; of all */
  rh_region region;  /* the elements, of a device that shares the host's memory, and of the host */
  rh_cl_input input; /* without a buffer: the host */
  /* Pieces of the run whose values are nodes of the tree.  None: it has no elements. */
  rh_partial_chunk *nodes;
  uint32_t n_nodes;
  int waits;              /* 1: a run returns when it is done, because it finishes on the host */
  int is_watched;         /* 1: of a call, without a command that reads the value */
  cl_mem values;          /* of the nodes, on the device; null if it waits */
  unsigned char *fetched; /* the same, one behind the other, on the host */
  rh_error error;         /* of the latest call */
} rh_resident_part;

/* Asks the strategy of *job, which has n of all parts, sets it up, and makes room for the elements
 * of tiles first .. end-1, which are not there yet.  check: RH_CHECK_*; whether the strategy is
 * tried on a few elements first.  It fails as rh_job_init() does, and with RH_E_DEVICE or
 * RH_E_NOMEM where they do not fit; the part is finished after a failure, too. */
rh_status rh_resident_part_init(rh_resident_part *part, rh_context *context, const rh_job_spec *job,
                                uint64_t first, uint64_t end, int check, rh_error *error);
void rh_resident_part_finish(rh_resident_part *part);

/* rh_job_trust_on() some elements of the largest node, which are read or generated again. */
rh_status rh_resident_trust(const rh_resident_part *part, const rh_source *source, rh_error *error);

/* A reduction is begun, and the latest is waited for, whose nodes' values were read if it began as
 * the last one.  If the part waits, begin does all. */
rh_status rh_resident_part_begin(rh_resident_part *part, int is_last, rh_error *error);
rh_status rh_resident_part_end(rh_resident_part *part, rh_error *error);

/* Data that stay in the memories of several devices: split once, at multiples of a tile, and
 * reduced by all devices at a time, again and again. */

/* Fields from `waits` on are read-only.  Zero-initialised may be finished. */
typedef struct rh_resident {
  rh_reduction_spec spec;
  rh_source source;
  rh_job_spec whole;
  rh_resident_part *parts; /* as spec.devices */
  rh_partial values;       /* of the latest call */
  uint32_t failed;         /* the device that did, or n_devices */
  uint32_t waits;          /* 1: a part does */
  uint64_t depth;          /* of the answer; 0: unknown */
  double load_s, first_s;  /* until all elements were there and checked; the first call */
  rh_result result;        /* of the first call */
  rh_reference reference;
  rh_verdict verdict;
} rh_resident;

/* Chooses the shares: equal ones for equal devices, and else by the measured speed of each on some
 * of the data.  Brings the data there, makes a first call, and judges its answer.
 *
 * A device whose strategy declines or cannot be set up, or that fails in the first call, is left
 * out, with a warning, and the data are split again among the others.  Without any device left it
 * fails as the last one did; RH_E_DEVICE and RH_E_NOMEM: also where they do not fit.  The devices
 * must outlive *resident, which must not be moved, and which the caller finishes even after a
 * failure. */
rh_status rh_resident_open(rh_resident *resident, const rh_reduction_spec *spec, rh_error *error);
void rh_resident_finish(rh_resident *resident);

/* Reads or generates all elements, in pieces and by all processors, each of which is looked at for
 * the check before it leaves.  facts: RH_CHECK_FULL or RH_CHECK_NONE; gets references only. */
rh_status rh_resident_load(rh_resident *resident, rh_partial *facts, rh_error *error);

/* `batch` reductions, back to back on each device; 1 if resident->waits.  *seconds: of one, from
 * the first command to the answer on the host. */
rh_status rh_resident_call(rh_resident *resident, uint32_t batch, rh_result *result,
                           double *seconds, rh_error *error);

/* A value for each segment of a source that is reduced in parts: of a stream, by several devices,
 * or by the ranks of a job.  Whole segments are done by the strategy's run over a layout; the parts
 * of longer ones are nodes of each segment's canonical tree, and are folded. */

typedef struct rh_segments_reduction {
  rh_reduction_spec spec;
  rh_segments_plan plan;
  rh_segments *whole;
  rh_segments_check *found;
  uint64_t parts, n; /* all, and the elements that they bring */
  uint32_t was_read; /* 1: a source that is read once was */
  double seconds;
  /* The rest is its own. */
  rh_segments_plan next; /* locked by `reading` */
  uint64_t before;
  pthread_mutex_t alone; /* of operators that one thread at a time evaluates */
  pthread_mutex_t reading;
  rh_crew crew; /* its lock: of all that follows, and of the answer */
  rh_reporter reporter;
  _Atomic uint64_t done; /* elements */
  struct rh_segments_band *bands;
  rh_text mine; /* of a rank: what it has come to, for all; parts in their order, and the check */
  struct rh_segments_worker *workers;
} rh_segments_reduction;

/* *whole gets the values, and is finished by the caller; *found what the check finds.  RH_E_USAGE
 * if a source that is read in order cannot serve the segments. */
rh_status rh_segments_reduction_open(rh_segments_reduction **reduction,
                                     const rh_reduction_spec *spec, rh_segments *whole,
                                     rh_segments_check *found, rh_error *error);

/* ends[r] = the end of the elements that the parts of rank r need, for a spec with starts and
 * chunk_bytes. */
rh_status rh_segments_reduction_ends(const rh_reduction_spec *spec, const rh_operation *operation,
                                     uint64_t *ends, rh_error *error);

/* Once.  It succeeds where a segment is wrong.  A device that fails leaves its parts to the others,
 * unless the source is read in order; its `failure` says why. */
rh_status rh_segments_reduction_run(rh_segments_reduction *reduction, rh_error *error);

/* What the ranks have come to, in all of them. */
rh_status rh_segments_reduction_gather(rh_segments_reduction *reduction, rh_ranks *ranks,
                                       rh_error *error);

void rh_segments_reduction_close(rh_segments_reduction *reduction); /* null is legal */
