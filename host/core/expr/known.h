/* What a compiler may know of a node's value, and may draw a wrong conclusion from. */
#pragma once
#include "graph.h"

typedef struct rh_known {
  unsigned char value;    /* of integers it follows single bits: `n | -1`, `c >> 8` and `u < 0` */
  unsigned char nan;      /* the value is NaN */
  unsigned char is_read;  /* an element, a constant or an index, of which it knows nothing */
  unsigned char sign;     /* of a float */
  unsigned char is_whole; /* a float that was an integer */
  unsigned char is_zero;  /* a float, of literals alone */
  unsigned char choice;   /* the value is one of few that it knows */
} rh_known;

/* `of`: of all nodes before. */
rh_known rh_node_known(const rh_node *node, const rh_known *of);
