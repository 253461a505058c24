/* The command line as a table: the parser, --help, the manual page and the completions read it. */
#pragma once

#include "options.h"

#include <stddef.h>

/* An option takes nothing, a word, a word each of several times, a word or nothing, or a KEY=VALUE;
 * modes take nothing or a word. */
enum {
  RH_OPTION_FLAG,
  RH_OPTION_WORD,
  RH_OPTION_WORDS,
  RH_OPTION_MAYBE_WORD,
  RH_OPTION_SETTING,
  RH_OPTION_MODE,
  RH_OPTION_MODE_WORD
};

#define RH_IN_MODE(mode) (1u << RH_MODE_##mode)

typedef struct rh_option {
  const char *name;
  char letter; /* or 0 */
  uint32_t kind;
  const char *argument; /* as --help shows it; null: takes no argument */
  const char *section;  /* the heading before this row, or null; its first word is a topic */
  const char *doc;      /* lines */
  uint32_t value;       /* the mode, or the modes an option belongs to, by RH_IN_MODE() */
  size_t offset;        /* in rh_typed */
} rh_option;

enum { RH_MOST_OPTIONS = 128 };
extern const rh_option rh_option_table[];
extern const size_t rh_n_options;

/* Two options that do not go together, and what to do instead; the last row is null. */
typedef struct rh_exclusion {
  const char *one, *other, *instead;
} rh_exclusion;
extern const rh_exclusion rh_exclusions[];

/* Names and their meanings; the last name is null. */
typedef struct rh_option_note {
  const char *name, *doc;
} rh_option_note;
extern const rh_option_note rh_options_environment[], rh_options_statuses[];
