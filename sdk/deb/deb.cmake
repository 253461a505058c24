# Debian packages by CPack, as scripts/deb builds them: redhost, and redhost-mpi with the transports.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME redhost)
set(CPACK_PACKAGE_VENDOR "the redhost authors")
# As Debian's tools have it: who builds the package maintains it.
set(CPACK_PACKAGE_CONTACT "the redhost authors <redhost@example.org>")
if(DEFINED ENV{DEBEMAIL})
  set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "parallel reductions on OpenCL devices and CPUs")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL redhost mpi)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Whatever the umask of who builds them.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_REDHOST_PACKAGE_NAME redhost)
set(CPACK_DEBIAN_REDHOST_PACKAGE_SECTION science)
set(CPACK_COMPONENT_REDHOST_DESCRIPTION "A host that finds strategies as plugins, runs them on any OpenCL device or
on the CPU, checks every answer against an exact reference, and measures:
the program, the library, the plugins, and what plugins and programs are
built with.")
# OpenCL is opened when a device is first looked for; matplotlib draws pictures only.
set(CPACK_DEBIAN_REDHOST_PACKAGE_RECOMMENDS "ocl-icd-libopencl1 | libopencl1, pocl-opencl-icd | opencl-icd")
set(CPACK_DEBIAN_REDHOST_PACKAGE_SUGGESTS "python3-matplotlib, redhost-mpi")

# The loader's list of libraries, and what packages of programs that link this one depend on.
file(WRITE ${PROJECT_BINARY_DIR}/deb/triggers "activate-noawait ldconfig\n")
file(WRITE ${PROJECT_BINARY_DIR}/deb/shlibs "libredhost 0 redhost (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_REDHOST_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/deb/triggers ${PROJECT_BINARY_DIR}/deb/shlibs)

set(CPACK_DEBIAN_MPI_PACKAGE_NAME redhost-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
set(CPACK_COMPONENT_MPI_DESCRIPTION "The transports by which the ranks of redhost exchange values through Open MPI
or MPICH, which are opened when they are needed.")
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "redhost (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS "libopenmpi3 | libmpich12")

# What Debian wants of every package, and CMake does not install: see there.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/sdk/deb/finish.cmake)
set(CPACK_REDHOST_SOURCE ${PROJECT_SOURCE_DIR})
include(CPack)
