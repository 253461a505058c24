# Run by CPack on what it is about to pack: adds Debian's papers, and compresses them and the manual page, without a time of day.
function(compress)
  execute_process(COMMAND gzip -9n ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

execute_process(COMMAND git -C ${CPACK_REDHOST_SOURCE} log -1 --format=%aD OUTPUT_VARIABLE date ERROR_QUIET
  OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT date) # not a clone
  execute_process(COMMAND date -R -r ${CPACK_REDHOST_SOURCE}/CHANGELOG.md OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
set(changes "redhost (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Built from its own sources; changelog.gz has what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(READ ${CPACK_REDHOST_SOURCE}/LICENSE license)
string(REGEX REPLACE "^MIT License\n\nCopyright \\(c\\) ([^\n]*)\n\n" "" license "${license}")
set(owner "${CMAKE_MATCH_1}")
string(REGEX REPLACE "\n\n" "\n.\n" license "${license}")
string(REGEX REPLACE "\n([^\n])" "\n \\1" license "\n${license}")
set(copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: redhost

Files: *
Copyright: ${owner}
License: Expat${license}")

foreach(component ${CPACK_COMPONENTS_ALL})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component})
  string(TOUPPER ${component} name)
  set(papers ${root}/usr/share/doc/${CPACK_DEBIAN_${name}_PACKAGE_NAME})
  file(WRITE ${papers}/copyright "${copyright}")
  file(WRITE ${papers}/changelog.Debian "${changes}")
  file(COPY_FILE ${CPACK_REDHOST_SOURCE}/CHANGELOG.md ${papers}/changelog)
  compress(${papers}/changelog.Debian ${papers}/changelog)
  file(GLOB pages ${root}/usr/share/man/man1/*.1)
  if(pages)
    compress(${pages})
  endif()
  execute_process(COMMAND chmod -R u=rwX,go=rX ${papers} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
