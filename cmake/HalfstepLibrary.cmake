# One room of lib/: a static library of the sources named, which sees only what LINK names.

# The precompiled header of the first target named.
function(mp_reuse_pch name target)
  if(NOT target STREQUAL "NONE")
    target_precompile_headers(${name} REUSE_FROM ${target})
  endif()
endfunction()

# A room without LLVM (Base, Numerics, Hardware, Executable, Runtime, Devices, Training): what mp-exec may be linked from.
function(add_mp_runtime_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/lib)
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  # The rooms above Executable, whose header is in it.
  if(TARGET mp-runtime-pch)
    target_precompile_headers(${name} REUSE_FROM mp-runtime-pch)
  endif()
endfunction()

# A room of the compiler. A static MLIRxxx target beside mp-llvm would put a second copy of MLIR into the binary. PCH is the target whose precompiled header it takes, mp-pch where it is left out, or
# NONE.
function(add_mp_library name)
  cmake_parse_arguments(ARG "" "PCH" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/lib)
  target_link_libraries(${name} PUBLIC mp-llvm ${ARG_LINK})
  add_dependencies(${name} mp-headers ${ARG_DEPENDS})
  mp_reuse_pch(${name} ${ARG_PCH} mp-pch)
endfunction()

# A program under tools/.
function(add_mp_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tools)
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
endfunction()

# Tests run for seconds and are compiled by everyone: -O1, and all with the flags of one precompiled header.
function(mp_compile_as_test name)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1> -fPIE)
  target_link_libraries(${name} PRIVATE GTest::gtest)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR}/test/unit)
endfunction()

# Sources that test programs share. PCH is the precompiled header, mp-test-pch where it is not named.
function(add_mp_test_library name)
  cmake_parse_arguments(ARG "" "PCH" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  mp_compile_as_test(${name})
  target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR}/test/unit)
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  mp_reuse_pch(${name} ${ARG_PCH} mp-test-pch)
endfunction()

# A program that only tests run.
function(add_mp_test_program name)
  cmake_parse_arguments(ARG "" "PCH" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  mp_compile_as_test(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unit)
  mp_reuse_pch(${name} ${ARG_PCH} mp-test-pch)
  add_dependencies(mp-unit-tests ${name})
endfunction()

# A gtest program of test/unit.
function(add_mp_unittest name)
  add_mp_test_program(${name} ${ARGN})
  target_sources(${name} PRIVATE $<TARGET_OBJECTS:mp-test-leaks>)
  target_link_libraries(${name} PRIVATE GTest::gtest_main)
endfunction()

# The file by which pkg-config finds a library in the folder `libdir` of what is installed.
function(halfstep_pkg_config_file name description library requires libdir file)
  file(RELATIVE_PATH to_prefix /${libdir}/pkgconfig /)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/halfstep.pc.in ${file} @ONLY)
endfunction()

# Runs on systems with another libstdc++ than this one's: its own is in it.
function(mp_link_portably name)
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_link_options(${name} PRIVATE -static-libstdc++ LINKER:--gc-sections)
  endif()
endfunction()
