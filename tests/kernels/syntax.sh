#!/bin/sh
# syntax.sh CLANG SOURCE_DIR: every kernel, for every operator and type, through clang's OpenCL front end with warnings as
