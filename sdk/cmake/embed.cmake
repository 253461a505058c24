# cmake -DVARIABLE=x_cl -DHEADER=x.cl.h "-DFILES=a|b" -P embed.cmake
string(REPLACE "|" ";" FILES "${FILES}")
set(bytes)
foreach(file ${FILES})
  file(READ ${file} hex HEX)
  string(APPEND bytes "${hex}")
endforeach()
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
string(REPLACE "'\\x0a'," "'\\x0a',\n  " bytes "${bytes}") # a line of text, a line of C
file(WRITE ${HEADER}
  "/* Generated from ${FILES}. */\nstatic const char ${VARIABLE}[] = {\n  ${bytes}0};\n")
