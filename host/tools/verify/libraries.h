/* Finds the libraries that a file needs, as the loader would, without loading any. */
#pragma once

#include "image.h"

enum { RH_MOST_LIBRARIES = 128 };

/* The needed libraries and, in turn, those that they need. */
typedef struct rh_libraries {
  rh_image images[RH_MOST_LIBRARIES];
  char *paths[RH_MOST_LIBRARIES];
  uint32_t n;
} rh_libraries;

/* RH_E_PLUGIN if a library that the file itself names is not found. */
rh_status rh_libraries_read(rh_libraries *libraries, const rh_image *image, const char *path,
                            rh_error *error);
int rh_libraries_define(const rh_libraries *libraries, const char *symbol);
void rh_libraries_finish(rh_libraries *libraries);
