# How a plugin is built, inside redhost and outside.
#
#   redhost_add_plugin(cascade)                                  cascade.c and cascade.cl stand side by side
#   redhost_add_plugin(NAME mine SOURCES a.c b.c KERNELS x.cl y.cl [KERNEL_DIR dir] [OUTPUT_DIR dir]
#                      [NO_INSTALL] [NO_VERIFY])
#
# makes the module NAME.so that exports redhost_plugin_v1 and nothing else, with each x.cl as the C string `x_cl` in
# "x.cl.h" (`my_x_cl` for my-x.cl, `x3_cl` for 3.cl: a C name has no dash and begins with no digit).  It goes to
# redhost's plugin directory on installation, or to REDHOST_PLUGIN_INSTALL_DIR.  Where tests are built and the program redhost is at hand, the test
# verify.NAME has it checked: redhost --verify, with what REDHOST_VERIFY_OPTIONS says besides (--quick, say).

# redhost_embed(VARIABLE HEADER FILE...): the files' bytes, one after the other, as a C array with a final 0.
# Byte by byte, because any quoting of text meets a kernel that breaks it.
function(redhost_embed variable header)
  set(files)
  foreach(file ${ARGN})
    get_filename_component(file ${file} ABSOLUTE)
    list(APPEND files ${file})
  endforeach()
  string(REPLACE ";" "|" list "${files}")
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -DVARIABLE=${variable} -DHEADER=${header} "-DFILES=${list}"
            -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed.cmake
    DEPENDS ${files} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed.cmake
    VERBATIM)
endfunction()

function(redhost_add_plugin)
  cmake_parse_arguments(P "NO_INSTALL;NO_VERIFY" "NAME;KERNEL_DIR;OUTPUT_DIR" "SOURCES;KERNELS" ${ARGN})
  if(NOT P_NAME)
    list(GET P_UNPARSED_ARGUMENTS 0 P_NAME)
    set(P_SOURCES ${P_NAME}.c)
    set(P_KERNELS ${P_NAME}.cl)
  endif()
  if(NOT P_KERNEL_DIR)
    set(P_KERNEL_DIR ${REDHOST_KERNEL_DIR})
  endif()
  if(NOT P_KERNEL_DIR)
    set(P_KERNEL_DIR ${CMAKE_CURRENT_SOURCE_DIR})
  endif()

  foreach(flags "${CMAKE_C_FLAGS}" "${CMAKE_MODULE_LINKER_FLAGS}" "${CMAKE_SHARED_LINKER_FLAGS}")
    if(flags MATCHES "-ffast-math|-Ofast")
      message(FATAL_ERROR "${P_NAME}: -ffast-math would switch every program that loads the plugin to flush-to-zero")
    endif()
  endforeach()

  set(target plugin_${P_NAME})
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${target})
  file(MAKE_DIRECTORY ${generated})
  add_library(${target} MODULE ${P_SOURCES})
  foreach(kernel ${P_KERNELS})
    if(EXISTS ${P_KERNEL_DIR}/${kernel})
      get_filename_component(stem ${kernel} NAME_WE)
      string(REGEX REPLACE "[^A-Za-z0-9_]" "_" variable ${stem}_cl)
      string(REGEX REPLACE "^([0-9])" "x\\1" variable ${variable})
      redhost_embed(${variable} ${generated}/${kernel}.h ${P_KERNEL_DIR}/${kernel})
      target_sources(${target} PRIVATE ${generated}/${kernel}.h)
    elseif(P_UNPARSED_ARGUMENTS)
      # The short form: a strategy of host code has no kernel.
    else()
      message(FATAL_ERROR "${P_NAME}: no ${P_KERNEL_DIR}/${kernel}")
    endif()
  endforeach()
  target_include_directories(${target} PRIVATE ${generated})
  target_link_libraries(${target} PRIVATE redhost::plugin)
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME ${P_NAME} C_VISIBILITY_PRESET hidden
    LINK_DEPENDS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/plugin.map)
  target_link_options(${target} PRIVATE
    -Wl,--version-script=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/plugin.map -Wl,-z,relro -Wl,-z,now)
  if(NOT REDHOST_SANITIZE) # a sanitizer's symbols are defined by the program
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
  if(P_OUTPUT_DIR)
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${P_OUTPUT_DIR})
  elseif(REDHOST_PLUGIN_OUTPUT_DIR)
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${REDHOST_PLUGIN_OUTPUT_DIR})
  endif()
  if(NOT P_NO_INSTALL)
    # All plugins that are meant to be used, in one target.
    if(NOT TARGET redhost_plugins)
      add_custom_target(redhost_plugins)
    endif()
    add_dependencies(redhost_plugins ${target})
    if(NOT REDHOST_PLUGIN_INSTALL_DIR)
      include(GNUInstallDirs)
      set(REDHOST_PLUGIN_INSTALL_DIR ${CMAKE_INSTALL_LIBDIR}/redhost-1)
    endif()
    install(TARGETS ${target} LIBRARY DESTINATION ${REDHOST_PLUGIN_INSTALL_DIR})
  endif()
  if(TARGET redhost::program AND BUILD_TESTING AND NOT P_NO_VERIFY)
    add_test(NAME verify.${P_NAME} COMMAND redhost::program --verify ${REDHOST_VERIFY_OPTIONS} $<TARGET_FILE:${target}>)
  endif()
endfunction()
