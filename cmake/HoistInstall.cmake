# Installs library, headers, tool with its man pages and completions, hoist.pc and the CMake package. The tree may be moved afterwards.

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/Hoist")

install(FILES "${hoist_library}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime)
install(FILES "${hoist_library_folder}/${hoist_soname}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime)
install(FILES "${hoist_library_folder}/libhoist.so" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/Include/hoist" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        COMPONENT development FILES_MATCHING PATTERN "*.h")
# For bindings of other languages: every constant with its type; and for hosts that are run under valgrind.
install(FILES "${PROJECT_SOURCE_DIR}/Tests/ABI/constants.txt" "${PROJECT_SOURCE_DIR}/Tests/Sanitizers/valgrind.supp"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/hoist" COMPONENT development)
# The licence, what is linked statically, and the bill of materials, which is read from what was linked.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE"
        DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/hoist" COMPONENT runtime)
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_FOUND AND NOT HOIST_SANITIZE)
  set(bill "${PROJECT_BINARY_DIR}/hoist.spdx.json")
  set(linked "${hoist_library}")
  set(last hoist_library)
  if(HOIST_BUILD_CLI)
    list(APPEND linked "${hoist_tool_folder}/hoist")
    set(last hoist_tool)
  endif()
  add_custom_command(
    OUTPUT "${bill}"
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/cmake/bill_of_materials.py" --version ${PROJECT_VERSION}
            --swift "${HOIST_SWIFT}" --pins "${hoist_tool_package}/Package.resolved" --out "${bill}" ${linked}
    DEPENDS ${linked} "${PROJECT_SOURCE_DIR}/cmake/bill_of_materials.py"
    COMMENT "Writing the bill of materials"
    VERBATIM)
  add_custom_target(hoist_bill DEPENDS "${bill}")
  add_dependencies(${last} hoist_bill)
  install(FILES "${bill}" DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/hoist" COMPONENT runtime)
endif()
set(stripped "${CMAKE_INSTALL_LIBDIR}/libhoist.so.${PROJECT_VERSION}")
if(HOIST_BUILD_CLI)
  install(PROGRAMS "${hoist_tool_folder}/hoist" DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
  install(DIRECTORY "${hoist_share_folder}/" DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}" COMPONENT tools)
  list(APPEND stripped "${CMAKE_INSTALL_BINDIR}/hoist")
endif()

if(HOIST_BUILD_REDIS)
  list(APPEND stripped "${CMAKE_INSTALL_LIBDIR}/hoist/libhoist-redis.so")
endif()
if(HOIST_BUILD_KAFKA)
  list(APPEND stripped "${CMAKE_INSTALL_LIBDIR}/hoist/libhoist-kafka.so")
endif()

if(HOIST_STRIP AND CMAKE_STRIP)
  foreach(file IN LISTS stripped)
    install(CODE "
      set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${file}\")
      if(EXISTS \"\${file}\")
        execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-unneeded \"\${file}\" COMMAND_ERROR_IS_FATAL ANY)
      endif()" ALL_COMPONENTS)
  endforeach()
endif()

file(RELATIVE_PATH HOIST_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" HOIST_PC_PREFIX "${HOIST_PC_PREFIX}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/hoist.pc.in" "${PROJECT_BINARY_DIR}/hoist.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/hoist.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)

set(HOIST_CONFIG_SONAME "${hoist_soname}")
set(HOIST_CONFIG_LIBRARY "\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_LIBDIR}/libhoist.so.${PROJECT_VERSION}")
set(HOIST_CONFIG_INCLUDE "\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_INCLUDEDIR}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/HoistConfig.cmake.in" "${PROJECT_BINARY_DIR}/installed/HoistConfig.cmake"
  INSTALL_DESTINATION "${package_folder}" NO_CHECK_REQUIRED_COMPONENTS_MACRO)
install(FILES "${PROJECT_BINARY_DIR}/installed/HoistConfig.cmake"
              "${PROJECT_BINARY_DIR}/HoistConfigVersion.cmake"
        DESTINATION "${package_folder}" COMPONENT development)
