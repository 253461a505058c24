/* What a worker says to the process that started it: one JSON object a line, on descriptor 4.
 *
 *     {"redhost-work":1}                             the channel works
 *     {"phase":"run"}                                where it is now
 *     {"log":[1,"text"]}                             at most RH_MOST_LOGS of them
 *     {"progress":["upload",done,total]}
 *     {"ready":...}                                  it can be done: query's answer, the parameters; again in setup, where
 *                                                    other parameters had to be taken
 *     {"result":...}                                 the first run's value, and what setting up took
 *     {"measured":...}
 *     {"done":dropped}                               torn down; so many log lines were not sent
 *     {"failed":[status,code],"message":"..."}
 *
 * It goes on after "ready" and after "result" when it is told to: "run", "measure", "end".  Whatever is not like this was
 * not written by redhost: a plugin can write to any descriptor of its process. */
#ifndef RH_ISOLATE_FRAMES_H
#define RH_ISOLATE_FRAMES_H

#include "../measure/facts.h"
#include <jansson.h>

enum { RH_WORK_VERSION = 1, RH_MOST_LOGS = 100 };

/* X(name, the words that tell where something happened) */
#define RH_PHASE_WORDS(X)                                                                          \
  X(start, "at its start")                                                                         \
  X(devices, "while the OpenCL driver was loaded")                                                 \
  X(loading, "while loading")                                                                      \
  X(query, "in query")                                                                             \
  X(setup, "in setup")                                                                             \
  X(run, "in run")                                                                                 \
  X(measuring, "in run, while it was measured")                                                    \
  X(teardown, "in teardown")
typedef enum rh_work_phase {
#define RH_X(name, words) RH_WORK_##name,
  RH_PHASE_WORDS(RH_X)
#undef RH_X
} rh_work_phase;

const char *rh_work_phase_words(rh_work_phase phase);

typedef enum rh_frame_kind {
  RH_FRAME_GARBAGE,
  RH_FRAME_HELLO,
  RH_FRAME_PHASE,
  RH_FRAME_LOG,
  RH_FRAME_PROGRESS,
  RH_FRAME_READY,
  RH_FRAME_RESULT,
  RH_FRAME_MEASURED,
  RH_FRAME_DONE,
  RH_FRAME_FAILED
} rh_frame_kind;

/* What a line said, where it is not in the facts. */
typedef struct rh_frame {
  rh_work_phase phase;
  uint32_t level;       /* of a log line */
  char text[1024];      /* of a log line or a failure: one line, nothing that moves a cursor */
  const char *activity; /* of progress: a constant */
  uint64_t done, total; /* of progress; `done` also the log lines that were dropped */
  rh_status status;     /* of a failure: never RH_OK, nor RH_E_WRONG, which a worker cannot know */
  int32_t code;
} rh_frame;

/* Any bytes at all may be given.  Fills the part of *facts that a frame is about, and only where the frame is whole. */
rh_frame_kind rh_frame_read(const char *line, size_t length, rh_frame *frame, rh_facts *facts);

/* The worker's side.  Null where memory runs out. */
json_t *rh_frame_phase(rh_work_phase phase);
json_t *rh_frame_ready(const rh_facts *facts);
json_t *rh_frame_result(const rh_facts *facts);
json_t *rh_frame_measured(const rh_facts *facts);
json_t *rh_frame_failed(const rh_error *error);

#endif
