/* The transport `mpi` for Open MPI 4 and 5.  Handles are pointers to objects of the library. */
#include <stddef.h>

typedef void *mpi_comm, *mpi_type, *mpi_request, *mpi_info, *mpi_errhandler;
#define MPI_COMM_WORLD    mpi_object("ompi_mpi_comm_world")
#define MPI_BYTE          mpi_object("ompi_mpi_byte")
#define MPI_INFO_NULL     mpi_object("ompi_mpi_info_null")
#define MPI_ERRORS_RETURN mpi_object("ompi_mpi_errors_return")
#define MPI_STATUS_IGNORE NULL
#define MPI_SHARED        0

#define MY_NAME    "Open MPI"
#define MY_PACKAGE "libopenmpi3 and openmpi-bin"
#define MY_START   "mpirun.openmpi"
#define MY_SIZE    "OMPI_COMM_WORLD_SIZE"
#define OTHER_NAME "MPICH"
#define OTHER_SIZE "PMI_SIZE"

static const char *const libraries[] = {"libmpi.so.40", "libmpi.so.80", NULL};

#include "mpi_body.h"
