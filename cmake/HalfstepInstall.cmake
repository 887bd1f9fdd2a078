# What `cmake --install` installs: programs, the C API, and how CMake and pkg-config find it. The Python packages are
# components of their names, which only `--component` asks for.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Halfstep)
set_target_properties(HalfstepRuntime PROPERTIES EXPORT_NAME Runtime)
set_target_properties(Halfstep PROPERTIES EXPORT_NAME Compiler)
target_include_directories(HalfstepRuntime INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_include_directories(Halfstep INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(Halfstep INTERFACE $<INSTALL_INTERFACE:Halfstep::Runtime>)

install(TARGETS HalfstepRuntime Halfstep EXPORT HalfstepTargets LIBRARY)
install(TARGETS mp-exec mp-run mp-opt RUNTIME)
install(FILES include/mp-c/Compiler.h include/mp-c/Runtime.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mp-c)
install(EXPORT HalfstepTargets NAMESPACE Halfstep:: DESTINATION ${cmake_folder})

configure_package_config_file(cmake/HalfstepConfig.cmake.in ${CMAKE_BINARY_DIR}/install/HalfstepConfig.cmake
                              INSTALL_DESTINATION ${cmake_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/install/HalfstepConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/install/HalfstepConfig.cmake ${CMAKE_BINARY_DIR}/install/HalfstepConfigVersion.cmake
        DESTINATION ${cmake_folder})

function(halfstep_pkg_config name description library requires)
  halfstep_pkg_config_file(${name} ${description} ${library} "${requires}" ${CMAKE_INSTALL_LIBDIR}
                           ${CMAKE_BINARY_DIR}/install/${name}.pc)
  install(FILES ${CMAKE_BINARY_DIR}/install/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
halfstep_pkg_config(halfstep-runtime "Runs and trains what Halfstep compiled" HalfstepRuntime "")
halfstep_pkg_config(halfstep "A mixed-precision graph compiler" Halfstep "Requires: halfstep-runtime = ${PROJECT_VERSION}")
