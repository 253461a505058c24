/* Where the loader would look for the libraries that a file names, without loading any. */
#ifndef RH_VERIFY_LIBRARIES_H
#define RH_VERIFY_LIBRARIES_H

#include "image.h"

enum { RH_MOST_LIBRARIES = 128 };

/* The named libraries, and those that they name. */
typedef struct rh_libraries {
  rh_image images[RH_MOST_LIBRARIES];
  char *paths[RH_MOST_LIBRARIES];
  uint32_t n;
} rh_libraries;

/* RH_E_PLUGIN with a sentence where one that the file itself names is not found. */
rh_status rh_libraries_read(rh_libraries *libraries, const rh_image *image, const char *path,
                            rh_error *error);
int rh_libraries_define(const rh_libraries *libraries, const char *symbol);
void rh_libraries_finish(rh_libraries *libraries);

#endif
