# Makes man pages and a completion as their readers want them: -D pages=FOLDER -D completion=FILE -P tidy_manual.cmake
file(GLOB pages "${pages}/*.1")
foreach(page IN LISTS pages)
  file(READ "${page}" text)
  # The index of man pages takes no name with a space in it, the synopsis does.
  if(text MATCHES "\n\\.Nm \"([^\"\n]+)\"")
    set(command "${CMAKE_MATCH_1}")
    string(REPLACE " " "." name "${command}")
    string(REPLACE "\n.Nm \"${command}\"" "\n.Nm ${name}" text "${text}")
    string(REPLACE "\n.Nm\n" "\n.Nm \"${command}\"\n" text "${text}")
  endif()
  string(REGEX REPLACE "\n\n+" "\n.Pp\n" text "${text}")
  file(WRITE "${page}" "${text}")
endforeach()
# It is read by a shell and not run.
file(READ "${completion}" text)
string(REGEX REPLACE "^#![^\n]*\n" "" text "${text}")
file(WRITE "${completion}" "${text}")
