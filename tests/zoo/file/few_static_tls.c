/* V05: a few bytes of thread-local storage at a fixed offset: it loads until the process has
 * none left. */
#include "../right.h"

static __thread volatile uint64_t asked __attribute__((tls_model("initial-exec")));

BUT_ANSWER(few_static_tls, asked++);

RIGHT_PLUGIN;
