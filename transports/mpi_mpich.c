/* The transport `mpi` for MPICH 3 and 4, and libraries of its ABI (Intel MPI, MVAPICH).  Handles
 * are numbers. */
#include <stddef.h>

typedef int mpi_comm, mpi_type, mpi_request, mpi_info, mpi_errhandler;
#define MPI_COMM_WORLD    0x44000000
#define MPI_BYTE          0x4c00010d
#define MPI_INFO_NULL     0x1c000000
#define MPI_ERRORS_RETURN 0x54000001
#define MPI_STATUS_IGNORE ((void *)1)
#define MPI_SHARED        1

#define MY_NAME    "MPICH"
#define MY_PACKAGE "libmpich12 and mpich"
#define MY_START   "mpirun.mpich"
#define MY_SIZE    "PMI_SIZE"
#define OTHER_NAME "Open MPI"
#define OTHER_SIZE "OMPI_COMM_WORLD_SIZE"

static const char *const libraries[] = {"libmpich.so.12", "libmpi.so.12", NULL};

#include "mpi_body.h"
