# Targets that SwiftPM builds. The imported target Hoist::hoist is the same for a program in this
# build, in a project that adds this folder, and in one that finds the installed package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
find_program(HOIST_SWIFT swift REQUIRED DOC "The Swift 6.3 driver")

set(hoist_library_folder "${PROJECT_BINARY_DIR}/lib")
set(hoist_tool_folder "${PROJECT_BINARY_DIR}/bin")
set(hoist_share_folder "${PROJECT_BINARY_DIR}/share")
set(hoist_scratch "${PROJECT_BINARY_DIR}/swift")
set(hoist_tool_scratch "${PROJECT_BINARY_DIR}/swift-tool")
# Before 1.0 every minor version may break the ABI.
set(hoist_soname "libhoist.so.${PROJECT_VERSION_MAJOR}")
if(PROJECT_VERSION_MAJOR EQUAL 0)
  string(APPEND hoist_soname ".${PROJECT_VERSION_MINOR}")
endif()
set(hoist_library "${hoist_library_folder}/libhoist.so.${PROJECT_VERSION}")

if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(hoist_swift_configuration debug)
else()
  set(hoist_swift_configuration release)
endif()

set(hoist_tool_package "${PROJECT_SOURCE_DIR}/Sources/hoist-cli")
set(hoist_swift_command
    "${HOIST_SWIFT}" build --configuration ${hoist_swift_configuration} --disable-local-rpath)
if(HOIST_STATIC_STDLIB)
  list(APPEND hoist_swift_command -Xswiftc -static-stdlib)
endif()
# Two modules that the compiler imports unasked: one call into the first brings 1.4 MB of regular
# expressions with it, and nothing here may use the second.
foreach(module IN ITEMS string-processing concurrency)
  list(APPEND hoist_swift_command -Xswiftc -Xfrontend -Xswiftc -disable-implicit-${module}-module-import)
endforeach()
# A section for each function, so that the linker can leave out those that nothing calls.
list(APPEND hoist_swift_command -Xswiftc -Xfrontend -Xswiftc -function-sections)
if(HOIST_WARNINGS_AS_ERRORS)
  list(APPEND hoist_swift_command -Xswiftc -warnings-as-errors)
endif()
if(HOIST_SANITIZE)
  list(APPEND hoist_swift_command --sanitize=${HOIST_SANITIZE})
endif()

# The same sources give the same bytes in every folder: what tells where they were compiled is made relative, and what names
# modules in a cache is left out of the debug information. The later of two that fit counts for C, the first for Swift.
if(NOT HOIST_SANITIZE)
  foreach(folder IN ITEMS "${PROJECT_BINARY_DIR}=build" "${PROJECT_SOURCE_DIR}=.")
    list(APPEND hoist_swift_command -Xswiftc -file-prefix-map -Xswiftc "${folder}")
    set(hoist_c_prefixes -Xcc "-ffile-prefix-map=${folder}" ${hoist_c_prefixes})
  endforeach()
  list(APPEND hoist_swift_command ${hoist_c_prefixes} -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs)
endif()

# Folder of the toolchain that `swift` belongs to: its clang fits the sanitizers' runtimes.
file(REAL_PATH "${HOIST_SWIFT}" hoist_swift_path)
cmake_path(GET hoist_swift_path PARENT_PATH hoist_toolchain_bin)
cmake_path(GET hoist_toolchain_bin PARENT_PATH hoist_toolchain)
set(hoist_swift_runtime "${hoist_toolchain}/lib/swift/linux")

if(HOIST_SANITIZE AND HOIST_BUILD_TESTS AND NOT CMAKE_C_COMPILER MATCHES "^${hoist_toolchain_bin}/")
  message(FATAL_ERROR "HOIST_SANITIZE needs the toolchain's own compiler: "
                      "configure with -DCMAKE_C_COMPILER=${hoist_toolchain_bin}/clang "
                      "-DCMAKE_CXX_COMPILER=${hoist_toolchain_bin}/clang++")
endif()

# Everything that a product is made from, so that a changed file rebuilds it and nothing else does.
function(hoist_swift_sources result)
  set(patterns)
  foreach(folder IN ITEMS Sources/C* Sources/Hoist*)
    foreach(kind IN ITEMS swift c h modulemap)
      list(APPEND patterns "${PROJECT_SOURCE_DIR}/${folder}/*.${kind}")
    endforeach()
  endforeach()
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${patterns} "${PROJECT_SOURCE_DIR}/Include/*.h")
  list(APPEND files "${PROJECT_SOURCE_DIR}/Package.swift" "${PROJECT_SOURCE_DIR}/Include/module.modulemap")
  set(${result} "${files}" PARENT_SCOPE)
endfunction()

# Sets `result` to a program in front of the toolchain's linker that fails where a hook finds nothing to hook, and lets it
# leave more out. A runtime inside the library is hooked into, so that the program is needed; without Python there is none for
# a runtime outside, and the library is an eighth larger.
function(hoist_find_linker result)
  if(HOIST_STATIC_STDLIB)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
  else()
    find_package(Python3 COMPONENTS Interpreter QUIET)
  endif()
  if(Python3_FOUND)
    set(linker "${PROJECT_BINARY_DIR}/linker/ld.lld")
    if(HOIST_SANITIZE)
      set(hoist_is_lean OFF)
    else()
      set(hoist_is_lean ON)
    endif()
    # See shim_backtrace.c.
    set(hoist_replaced_names "_swift_backtraceSettings")
    configure_file("${PROJECT_SOURCE_DIR}/cmake/linker.py.in" "${linker}" @ONLY
                   FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    set(${result} "${linker}" PARENT_SCOPE)
  else()
    set(${result} "" PARENT_SCOPE)
  endif()
endfunction()

# The linker that every toolchain brings along.
hoist_find_linker(hoist_linker)
if(hoist_linker)
  list(APPEND hoist_swift_command -Xswiftc -ld-path=${hoist_linker})
endif()
list(APPEND hoist_swift_command -Xswiftc -use-ld=lld)

# Puts functions in front of the Swift runtime's that tell the thread sanitizer what it orders; see the source.
function(hoist_tell_runtime_order flags object)
  add_library(hoist_runtime_order OBJECT "${PROJECT_SOURCE_DIR}/Tests/Sanitizers/runtime_order.c")
  set_target_properties(hoist_runtime_order PROPERTIES POSITION_INDEPENDENT_CODE ON)
  list(APPEND ${flags} "$<TARGET_OBJECTS:hoist_runtime_order>")
  foreach(name IN ITEMS once release release_n isUniquelyReferenced_native isUniquelyReferenced_nonNull_native
                        isUniquelyReferenced_nonNull_bridgeObject)
    list(APPEND ${flags} --wrap=swift_${name})
  endforeach()
  set(${flags} "${${flags}}" PARENT_SCOPE)
  set(${object} hoist_runtime_order "$<TARGET_OBJECTS:hoist_runtime_order>" PARENT_SCOPE)
endfunction()

# Half a megabyte of relocations in a few kilobytes, which every loader from glibc 2.36 on can read.
set(hoist_glibc "${HOIST_MINIMUM_GLIBC}")
if(NOT hoist_glibc)
  execute_process(COMMAND getconf GNU_LIBC_VERSION OUTPUT_VARIABLE hoist_glibc OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  string(REGEX REPLACE "^glibc " "" hoist_glibc "${hoist_glibc}")
endif()
set(hoist_check_glibc "${CMAKE_COMMAND}" -D "readelf=${CMAKE_READELF}" -D "newest=${hoist_glibc}")
set(hoist_packed_relocations)
if(hoist_glibc VERSION_GREATER_EQUAL 2.36)
  set(hoist_packed_relocations -z pack-relative-relocs)
endif()

# Names of fields and cases are left out of the library, for which nothing asks at run time: an enumeration that is shown
# spells its cases itself. Accesses that overlap are looked for in debug builds, by all Swift tests: here each look would cost
# two calls, and what it found would end the host's process.
set(hoist_library_options)
if(hoist_swift_configuration STREQUAL "release" AND NOT HOIST_SANITIZE)
  set(hoist_library_options -Xswiftc -Xfrontend -Xswiftc -disable-reflection-metadata -Xswiftc -enforce-exclusivity=unchecked)
endif()

function(hoist_add_library)
  hoist_swift_sources(sources)
  set(map "${PROJECT_SOURCE_DIR}/cmake/hoist.map")
  set(linker_flags
      -soname=${hoist_soname} --version-script=${map}
      -z nodelete -z relro -z now -z noexecstack)
  # The first wrapped function leaves the names of Unicode scalars out, the others keep forks out of the
  # runtime's own locks (the last one is swift::threading_impl::once_slow); see shim_unicode.c and shim_runtime.c.
  # A runtime in a library of its own is out of reach.
  if(HOIST_STATIC_STDLIB)
    list(APPEND linker_flags
         --wrap=_swift_stdlib_getScalarName
         --wrap=pthread_mutex_lock --wrap=pthread_mutex_unlock
         --wrap=_ZN5swift14threading_impl9once_slowERNS0_6once_tEPFvPvES3_)
  endif()
  # Equal functions, of which generics make many, are kept once.
  if(NOT HOIST_SANITIZE)
    list(APPEND linker_flags --icf=all)
  endif()
  if(HOIST_SANITIZE STREQUAL "thread")
    hoist_tell_runtime_order(linker_flags order)
  endif()
  list(APPEND linker_flags ${hoist_packed_relocations})
  list(TRANSFORM linker_flags PREPEND "-Xlinker;")

  add_custom_command(
    OUTPUT "${hoist_library}"
    # The package manager does not know of our linker: without a product it links, whatever has changed.
    COMMAND "${CMAKE_COMMAND}" -E rm -f "${hoist_scratch}/${hoist_swift_configuration}/libhoist.so"
    COMMAND ${hoist_swift_command} --package-path "${PROJECT_SOURCE_DIR}" --scratch-path "${hoist_scratch}" --product hoist ${hoist_library_options} ${linker_flags}
    COMMAND ${hoist_check_glibc} -D "file=${hoist_scratch}/${hoist_swift_configuration}/libhoist.so"
            -P "${PROJECT_SOURCE_DIR}/cmake/check_glibc.cmake"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${hoist_library_folder}"
    # A file of its own in the place of the old one: who runs with that keeps it as it is.
    COMMAND "${CMAKE_COMMAND}" -E copy "${hoist_scratch}/${hoist_swift_configuration}/libhoist.so"
            "${hoist_library}.new"
    COMMAND "${CMAKE_COMMAND}" -E rename "${hoist_library}.new" "${hoist_library}"
    COMMAND "${CMAKE_COMMAND}" -E create_symlink "libhoist.so.${PROJECT_VERSION}"
            "${hoist_library_folder}/${hoist_soname}"
    COMMAND "${CMAKE_COMMAND}" -E create_symlink "${hoist_soname}" "${hoist_library_folder}/libhoist.so"
    DEPENDS ${sources} "${map}" ${hoist_linker} "${PROJECT_SOURCE_DIR}/cmake/split_functions.py"
            "${PROJECT_SOURCE_DIR}/cmake/check_glibc.cmake" ${order}
    COMMENT "Building libhoist.so with SwiftPM"
    VERBATIM)
  add_custom_target(hoist_library ALL DEPENDS "${hoist_library}")

  add_library(hoist SHARED IMPORTED GLOBAL)
  add_library(Hoist::hoist ALIAS hoist)
  set_target_properties(hoist PROPERTIES
    IMPORTED_LOCATION "${hoist_library}"
    IMPORTED_SONAME "${hoist_soname}"
    INTERFACE_INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/Include")
  add_dependencies(hoist hoist_library)

  # Lets a project find this build folder as it would find an installation.
  set(HOIST_CONFIG_LIBRARY "${hoist_library}")
  set(HOIST_CONFIG_INCLUDE "${PROJECT_SOURCE_DIR}/Include")
  set(HOIST_CONFIG_SONAME "${hoist_soname}")
  set(PACKAGE_INIT "")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/HoistConfig.cmake.in"
                 "${PROJECT_BINARY_DIR}/HoistConfig.cmake" @ONLY)
  # Before 1.0 every minor version may change the API; afterwards SameMajorVersion says it.
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/HoistConfigVersion.cmake"
                                   COMPATIBILITY SameMinorVersion)
endfunction()

# Completions, by the tool itself, and man pages, by the program that its argument parser brings along, in folder `parser`; in
# the folders that shells and `man` look into. Sets `result` to the files.
function(hoist_add_manual parser result)
  set(tool "${hoist_tool_folder}/hoist")
  set(shells bash zsh fish)
  set(completions "${hoist_share_folder}/bash-completion/completions/hoist"
      "${hoist_share_folder}/zsh/site-functions/_hoist" "${hoist_share_folder}/fish/vendor_completions.d/hoist.fish")
  set(pages "${hoist_share_folder}/man/man1")
  set(commands COMMAND "${CMAKE_COMMAND}" -E make_directory "${pages}")
  foreach(shell file IN ZIP_LISTS shells completions)
    cmake_path(GET file PARENT_PATH folder)
    list(APPEND commands COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}"
                         COMMAND "${tool}" --generate-completion-script ${shell} > "${file}")
  endforeach()
  set(scratch "${PROJECT_BINARY_DIR}/swift-manual")
  string(TIMESTAMP date "%Y-%m-%d" UTC)
  add_custom_command(
    OUTPUT ${completions} "${pages}/hoist.1"
    ${commands}
    COMMAND "${HOIST_SWIFT}" build --package-path "${parser}"
            --scratch-path "${scratch}" --product generate-manual
    COMMAND "${scratch}/debug/generate-manual" "${tool}" --multi-page --date ${date} --output-directory "${pages}"
    COMMAND "${CMAKE_COMMAND}" -E rm -f "${pages}/hoist.help.1"
    COMMAND "${CMAKE_COMMAND}" -D "pages=${pages}" -D "completion=${hoist_share_folder}/bash-completion/completions/hoist"
            -P "${PROJECT_SOURCE_DIR}/cmake/tidy_manual.cmake"
    DEPENDS "${tool}" "${PROJECT_SOURCE_DIR}/cmake/tidy_manual.cmake"
    COMMENT "Writing completions and man pages"
    VERBATIM)
  set(${result} ${completions} "${pages}/hoist.1" PARENT_SCOPE)
endfunction()

# The tool is a host of the library: a package of its own, which sees the public headers and finds libhoist.so beside it, in
# this build as in an installed tree, which may be moved.
function(hoist_add_tool)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${hoist_tool_package}/*.swift" "${PROJECT_SOURCE_DIR}/Include/*.h")
  file(RELATIVE_PATH to_library "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  set(runpath "$ORIGIN/${to_library}")
  if(NOT to_library STREQUAL "../lib")
    string(APPEND runpath ":$ORIGIN/../lib")
  endif()
  set(linker_flags "-L${hoist_library_folder}" "-rpath=${runpath}" -z relro -z now -z noexecstack --icf=all
      ${hoist_packed_relocations})
  list(TRANSFORM linker_flags PREPEND "-Xlinker;")
  set(parser "${hoist_tool_scratch}/checkouts/swift-argument-parser")
  if(HOIST_ARGUMENT_PARSER)
    set(parser "${HOIST_ARGUMENT_PARSER}")
  endif()
  # The parser's sources may be anywhere, and what their folder shares with the package's is not to shorten their names.
  set(command ${hoist_swift_command})
  list(INSERT command 2 -Xswiftc -file-prefix-map -Xswiftc "${parser}=swift-argument-parser" -Xswiftc -file-compilation-dir -Xswiftc .)
  add_custom_command(
    OUTPUT "${hoist_tool_folder}/hoist"
    COMMAND "${CMAKE_COMMAND}" -E rm -f "${hoist_tool_scratch}/${hoist_swift_configuration}/hoist-cli"
    COMMAND "${CMAKE_COMMAND}" -E env "HOIST_ARGUMENT_PARSER=${HOIST_ARGUMENT_PARSER}"
            ${command} --package-path "${hoist_tool_package}" --scratch-path "${hoist_tool_scratch}"
            --only-use-versions-from-resolved-file --product hoist-cli ${linker_flags}
    COMMAND ${hoist_check_glibc} -D "file=${hoist_tool_scratch}/${hoist_swift_configuration}/hoist-cli"
            -P "${PROJECT_SOURCE_DIR}/cmake/check_glibc.cmake"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${hoist_tool_folder}"
    COMMAND "${CMAKE_COMMAND}" -E copy "${hoist_tool_scratch}/${hoist_swift_configuration}/hoist-cli"
            "${hoist_tool_folder}/hoist"
    DEPENDS ${sources} "${hoist_library}" ${hoist_linker}
    COMMENT "Building the hoist tool with SwiftPM"
    VERBATIM)
  hoist_add_manual("${parser}" manual)
  add_custom_target(hoist_tool ALL DEPENDS "${hoist_tool_folder}/hoist" ${manual})
endfunction()
