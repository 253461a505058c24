/* Facts that an OpenCL compiler may find out about the value of a node.  Compilers draw wrong
 * conclusions from some of it, and write.c hides it from them.  Each field is 0 or 1; 1: it may
 * find out. */
#pragma once
#include "graph.h"

typedef struct rh_known {
  unsigned char value;    /* the value: of integers by single bits, as of `n | -1` and `u < 0` */
  unsigned char nan;      /* that it is NaN */
  unsigned char sign;     /* of a float: its sign */
  unsigned char choice;   /* that it is one of a few values, and which they are */
  unsigned char is_whole; /* that the float was converted from an integer */
  unsigned char is_zero;  /* that the float, made of literals alone, is 0 or -0 */
  unsigned char is_read;  /* nothing: an element, a constant or an index */
} rh_known;

/* of: the facts of all nodes before this one. */
rh_known rh_node_known(const rh_node *node, const rh_known *of);
