# LLVM and MLIR: Debian's shared libraries; for targets whose property STATIC_LLVM is on, its archives, of which a
# linker takes what is used. lld is an archive both ways.
option(HALFSTEP_STATIC_LLVM "link LLVM and MLIR from their archives instead of shared libraries" OFF)
define_property(TARGET PROPERTY STATIC_LLVM INITIALIZE_FROM_VARIABLE HALFSTEP_STATIC_LLVM
                BRIEF_DOCS "whether LLVM and MLIR come from their archives")

# Targets of archives are no help: Debian's say that they need the shared libraries.
file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
set(lld_archives ${LLVM_LIBRARY_DIR}/liblldELF.a ${LLVM_LIBRARY_DIR}/liblldCommon.a)
foreach(archive ${lld_archives})
  if(NOT EXISTS ${archive})
    message(FATAL_ERROR "${archive} is not there: Debian's package liblld-22-dev has it; setup/install build installs it")
  endif()
endforeach()

find_library(ZSTD_ARCHIVE libzstd.a REQUIRED)
find_library(TINFO_ARCHIVE libtinfo.a REQUIRED)
mark_as_advanced(ZSTD_ARCHIVE TINFO_ARCHIVE)
# In front of the archives, for the linker takes what it finds first.
add_library(mp-llvm-stand-ins STATIC EXCLUDE_FROM_ALL
  ${CMAKE_CURRENT_LIST_DIR}/static-llvm/Arc4Random.cpp ${CMAKE_CURRENT_LIST_DIR}/static-llvm/StandIns.cpp)
target_include_directories(mp-llvm-stand-ins SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
add_library(mp-static-llvm INTERFACE)
target_link_libraries(mp-static-llvm INTERFACE mp-llvm-stand-ins ${archives} ${ZSTD_ARCHIVE} ${ZLIB_ARCHIVE} ${TINFO_ARCHIVE})

add_library(mp-llvm INTERFACE)
target_link_libraries(mp-llvm INTERFACE
  $<IF:$<BOOL:$<TARGET_PROPERTY:STATIC_LLVM>>,mp-static-llvm,MLIR>
  $<$<NOT:$<BOOL:$<TARGET_PROPERTY:STATIC_LLVM>>>:LLVM>)

# The linker, for those that make code.
add_library(mp-lld INTERFACE)
target_link_libraries(mp-lld INTERFACE ${lld_archives} ${ZSTD_ARCHIVE} ${ZLIB_ARCHIVE} mp-llvm)
