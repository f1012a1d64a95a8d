# SPDX-License-Identifier: GPL-2.0-or-later
# cpack -G DEB, cpack -G RPM: a package for the system on which it is made, installed for all users (component "package").
# cpack --config CPackSourceConfig.cmake: the sources, without what is built or belongs to git.
include(GNUInstallDirs)
set(CPACK_PACKAGE_NAME wiretrace)
# The project has no address: whoever distributes packages gives theirs, -DCPACK_PACKAGE_CONTACT="NAME <ADDRESS>".
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
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/tools/packaging/kind.cmake)
# whatever the umask is
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tools/packaging/package-modes.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL package)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
# includes Wireshark's version, so that a new release of Debian replaces the package
set(CPACK_DEBIAN_PACKAGE_VERSION "${PROJECT_VERSION}+wireshark${PLUGIN_VERSION}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "wireshark | tshark")

set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE GPL-2.0-or-later)
set(CPACK_RPM_PACKAGE_DESCRIPTION "${CPACK_DEBIAN_PACKAGE_DESCRIPTION}")
set(CPACK_RPM_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_RPM_PACKAGE_RELEASE wireshark${PLUGIN_VERSION})
set(CPACK_RPM_PACKAGE_AUTOREQ ON)
# of the system, not of the package
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/share/applications /usr/share/doc /usr/share/lintian /usr/share/lintian/overrides
  /usr/share/man /usr/share/man/man7 /usr/share/metainfo /usr/share/mime /usr/share/mime/packages /usr/share/wireshark
  /usr/share/wireshark/profiles)
set(folder "${Wireshark_INSTALL_PREFIX}/${Wireshark_PLUGIN_LIBDIR}")
foreach(below wiretap epan)
  list(APPEND CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION "${folder}/${below}")
endforeach()
while(NOT folder STREQUAL /usr AND NOT folder STREQUAL /)
  list(APPEND CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION "${folder}")
  cmake_path(GET folder PARENT_PATH folder)
endwhile()

set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME wiretrace-${PROJECT_VERSION})
set(CPACK_SOURCE_IGNORE_FILES "/\\.git/" "/\\.git$" "/build[^/]*/" "/__pycache__/" "${CMAKE_BINARY_DIR}/")

# dpkg-shlibdeps finds linked libraries, but not Wireshark's minor version, which is in the path of the plugins.
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
set(programs wireshark)
if(PLUGIN_VERSION VERSION_GREATER_EQUAL 4.6)
  list(APPEND programs stratoshark)
endif()
foreach(program ${programs})
  install(DIRECTORY docs/profiles/ DESTINATION share/${program}/profiles ${in_package})
endforeach()
# file types, from a file per format, and the programs that open them
set(MIME_TYPES "")
set(MIME_NAMES "")
file(GLOB pieces CONFIGURE_DEPENDS tools/packaging/mime/*.xml)
if(WIRETRACE_OVERLAY)
  file(GLOB more CONFIGURE_DEPENDS ${WIRETRACE_OVERLAY}/tools/packaging/mime/*.xml)
  list(APPEND pieces ${more})
endif()
foreach(piece ${pieces})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${piece})
  file(READ ${piece} text)
  string(APPEND MIME_TYPES "${text}")
  file(STRINGS ${piece} names REGEX "<mime-type ")
  foreach(name ${names})
    string(REGEX REPLACE ".*type=\"([^\"]*)\".*" "\\1;" name "${name}")
    string(APPEND MIME_NAMES "${name}")
  endforeach()
endforeach()
string(REGEX REPLACE "([^;]+);" "    <mediatype>\\1</mediatype>\n" MIME_PROVIDED "${MIME_NAMES}")
configure_file(tools/packaging/metainfo.xml.in ${CMAKE_BINARY_DIR}/org.wireshark.Wireshark.Plugin.Wiretrace.metainfo.xml @ONLY)
configure_file(tools/packaging/mime.xml.in ${DATA}/mime/packages/wiretrace.xml @ONLY)
# an entry for each program that opens them
foreach(PROGRAM ${programs})
  string(SUBSTRING ${PROGRAM} 0 1 first)
  string(SUBSTRING ${PROGRAM} 1 -1 rest)
  string(TOUPPER ${first} first)
  set(PROGRAM_NAME ${first}${rest})
  string(REPLACE "-wireshark" "" entry wiretrace-${PROGRAM})
  configure_file(tools/packaging/wiretrace.desktop.in ${DATA}/applications/${entry}.desktop @ONLY)
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS docs/wiretrace.7)
file(MAKE_DIRECTORY ${DATA}/man/man7)
execute_process(COMMAND gzip -9n -c ${PROJECT_SOURCE_DIR}/docs/wiretrace.7 OUTPUT_FILE ${DATA}/man/man7/wiretrace.7.gz)
install(DIRECTORY ${DATA}/ DESTINATION share ${in_package})
install(FILES ${CMAKE_BINARY_DIR}/org.wireshark.Wireshark.Plugin.Wiretrace.metainfo.xml DESTINATION share/metainfo ${in_package})
install(FILES tools/packaging/lintian-overrides DESTINATION share/lintian/overrides RENAME wiretrace ${in_package})
set(doc share/doc/wiretrace)
configure_file(tools/packaging/changelog.in ${CMAKE_BINARY_DIR}/changelog @ONLY)
execute_process(COMMAND gzip -9n -c ${CMAKE_BINARY_DIR}/changelog OUTPUT_FILE ${CMAKE_BINARY_DIR}/changelog.gz)
install(FILES tools/packaging/copyright ${CMAKE_BINARY_DIR}/changelog.gz README.md DESTINATION ${doc} ${in_package})
install(DIRECTORY docs/ DESTINATION ${doc}/docs ${in_package} PATTERN profiles EXCLUDE PATTERN wiretrace.7 EXCLUDE)
# links to what is only in the sources become plain text
install(CODE [=[
  file(GLOB_RECURSE pages "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/doc/wiretrace/*.md")
  foreach(page ${pages})
    file(READ "${page}" text)
    string(REGEX REPLACE "\\[([^]\n]*)\\]\\(((\\.\\./)*(captures|test|tools)/[^)]*|COPYING)\\)" "\\1" text "${text}")
    file(WRITE "${page}" "${text}")
  endforeach()
]=] ${in_package})
include(CPack)
