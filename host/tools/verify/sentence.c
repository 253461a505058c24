#include "sentence.h"
#include "../../core/base/text.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A byte that no UTF-8 text has. */
enum { BLANK = 0xff };

char *rh_sentence_room(void) {
  static char in_need[RH_SENTENCE_BYTES], *room;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (!room) {
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    room = in_need;
    if (pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0)
      room = pages + page - RH_SENTENCE_BYTES;
  }
  memset(room, BLANK, RH_SENTENCE_BYTES);
  return room;
}

const char *rh_sentence_fault(const char *text) {
  const char *end = memchr(text, 0, RH_SENTENCE_BYTES);
  if ((unsigned char)text[0] == BLANK || end == text) return "writes no sentence";
  if (!end) return "does not terminate its sentence";
  if (memchr(text, '\n', (size_t)(end - text))) return "writes a newline into its sentence";
  if (!rh_is_plain_utf8(text, (size_t)(end - text)))
    return "writes control characters or invalid UTF-8 into its sentence";
  return NULL;
}
