/* V58: sets no_new_privs in setup, for the whole program. */
#include "state.h"
#include <sys/prctl.h>

IN_SETUP("no_new_privileges", "gives up new privileges in setup") {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}
