# How a transport is built, inside redhost and outside.
#
#   redhost_add_transport(mine)                        mine.c
#   redhost_add_transport(NAME mine SOURCES a.c b.c [OUTPUT_DIR dir] [LAUNCH "run {n}"] [NO_INSTALL])
#
# makes the module NAME.so, target transport_NAME, that exports redhost_transport_v1 and nothing else.  It goes to redhost's
# directory of transports on installation.  Where tests are built and the program redhost is at hand, the test
# verify.transport.NAME has it checked with jobs that LAUNCH starts, if that is given.
function(redhost_add_transport)
  cmake_parse_arguments(T "NO_INSTALL" "NAME;OUTPUT_DIR;LAUNCH" "SOURCES" ${ARGN})
  if(NOT T_NAME)
    list(GET T_UNPARSED_ARGUMENTS 0 T_NAME)
    set(T_SOURCES ${T_NAME}.c)
  endif()
  set(target transport_${T_NAME})
  set(map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/transport.map)
  add_library(${target} MODULE ${T_SOURCES})
  target_link_libraries(${target} PRIVATE redhost::plugin ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${T_NAME} LINK_DEPENDS ${map})
  target_link_options(${target} PRIVATE -Wl,--version-script=${map} -Wl,-z,relro -Wl,-z,now)
  if(NOT REDHOST_SANITIZE) # a sanitizer's symbols are defined by the program
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
  if(T_OUTPUT_DIR)
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${T_OUTPUT_DIR})
  endif()
  if(NOT T_NO_INSTALL)
    include(GNUInstallDirs)
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/transports-1)
  endif()
  if(TARGET redhost::program AND BUILD_TESTING AND T_LAUNCH)
    add_test(NAME verify.transport.${T_NAME}
      COMMAND redhost::program --verify --launch ${T_LAUNCH} $<TARGET_FILE:${target}>)
  endif()
endfunction()
