# Fails where a file needs a later glibc than the build promises: -D readelf=… -D newest=2.36 -D file=… -P check_glibc.cmake
execute_process(COMMAND "${readelf}" --version-info "${file}" OUTPUT_VARIABLE versions COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "GLIBC_(ABI_DT_RELR|[0-9.]+)" versions "${versions}")
foreach(version IN LISTS versions)
  string(REPLACE "GLIBC_" "" needed "${version}")
  # The loader's promise to read packed relocations.
  string(REPLACE "ABI_DT_RELR" "2.36" needed "${needed}")
  if(needed VERSION_GREATER newest)
    message(FATAL_ERROR "${file} needs ${version}, and is to run with glibc ${newest}: "
                        "build it on an older system, or set HOIST_MINIMUM_GLIBC to ${needed}")
  endif()
endforeach()
