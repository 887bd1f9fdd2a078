# One room of lib/: a static library of the sources named, which sees only what LINK names.

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

# A room of the compiler. MLIR and LLVM are the shared libraries; a static MLIRxxx target beside them would put a
# second copy of MLIR into the binary.
function(add_mp_library name)
  cmake_parse_arguments(ARG "NO_PCH" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/lib)
  target_link_libraries(${name} PUBLIC MLIR LLVM ${ARG_LINK})
  add_dependencies(${name} mp-headers ${ARG_DEPENDS})
  if(NOT ARG_NO_PCH)
    target_precompile_headers(${name} REUSE_FROM mp-pch)
  endif()
endfunction()

# A program under tools/.
function(add_mp_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tools)
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
endfunction()

# A gtest program of test/unit.
function(add_mp_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS} ${PROJECT_SOURCE_DIR}/test/unit/LeakSuppressions.cpp)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR}/test/unit)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unit)
  add_dependencies(mp-unit-tests ${name})
endfunction()
