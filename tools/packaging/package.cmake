# SPDX-License-Identifier: GPL-2.0-or-later
# cpack -G DEB: a package for the Debian it is made on, for everybody whoever makes it (component "package").
include(GNUInstallDirs)
set(CPACK_PACKAGE_NAME wiretrace)
# No address is answered by the project: whoever passes packages on gives theirs, -DCPACK_PACKAGE_CONTACT="NAME <ADDRESS>".
set(CPACK_PACKAGE_CONTACT "The Wiretrace project <packages@wiretrace.invalid>" CACHE STRING "Maintainer of the package")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Wireshark plugins for XRay, Cacheray and ovni traces")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Wiretrace opens traces of programs in Wireshark and tshark: LLVM XRay logs
(flight data recorder and basic mode), Cacheray memory traces and ovni traces
of HPC applications. Every record becomes a line of the packet list with
named fields that can be filtered, shown as columns and extracted.
.
Threads and nodes are merged by their clocks; calls, states, tasks and types
are worked out from the records. Configuration profiles bring columns,
colours and filter buttons for each format.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
# whatever the umask of who makes it
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tools/packaging/package-modes.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL package)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
# a newer Wireshark makes a newer package, so a new release of Debian replaces it
set(CPACK_DEBIAN_PACKAGE_VERSION "${PROJECT_VERSION}+wireshark${PLUGIN_VERSION}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "wireshark | tshark")

# What is linked is found by dpkg-shlibdeps; the minor version of Wireshark, which is in the plugins' path, is not.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
find_program(DPKG_QUERY dpkg-query)
if(DPKG_QUERY)
  get_target_property(library epan IMPORTED_LOCATION_RELEASE)
  if(NOT library)
    find_library(library NAMES wireshark HINTS ${Wireshark_LIB_DIR})
  endif()
  file(REAL_PATH "${library}" library)
  execute_process(COMMAND ${DPKG_QUERY} -S "${library}" OUTPUT_VARIABLE owner ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX MATCH "^[^:]+" owner "${owner}")
  if(owner)
    math(EXPR next_minor "${Wireshark_MINOR_VERSION} + 1")
    set(CPACK_DEBIAN_PACKAGE_DEPENDS
      "${owner} (>= ${PLUGIN_VERSION}~), ${owner} (<< ${Wireshark_MAJOR_VERSION}.${next_minor}~)")
  endif()
endif()

set(in_package COMPONENT package EXCLUDE_FROM_ALL)
install(TARGETS wiretrace-files LIBRARY DESTINATION ${Wireshark_PLUGIN_LIBDIR}/wiretap ${in_package})
install(TARGETS wiretrace LIBRARY DESTINATION ${Wireshark_PLUGIN_LIBDIR}/epan ${in_package})
install(DIRECTORY docs/profiles/ DESTINATION share/wireshark/profiles ${in_package})
install(FILES tools/packaging/wiretrace-mime.xml DESTINATION share/mime/packages RENAME wiretrace.xml ${in_package})
install(FILES tools/packaging/wiretrace.desktop DESTINATION share/applications ${in_package})
install(FILES tools/packaging/lintian-overrides DESTINATION share/lintian/overrides RENAME wiretrace ${in_package})
set(doc share/doc/wiretrace)
configure_file(tools/packaging/changelog.in ${CMAKE_BINARY_DIR}/changelog @ONLY)
execute_process(COMMAND gzip -9n -c ${CMAKE_BINARY_DIR}/changelog OUTPUT_FILE ${CMAKE_BINARY_DIR}/changelog.gz)
install(FILES tools/packaging/copyright ${CMAKE_BINARY_DIR}/changelog.gz README.md DESTINATION ${doc} ${in_package})
install(DIRECTORY docs/ DESTINATION ${doc}/docs ${in_package} PATTERN profiles EXCLUDE)
include(CPack)
