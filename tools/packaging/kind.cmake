# SPDX-License-Identifier: GPL-2.0-or-later
# Read by cpack for each kind of package: says what is missing, as cpack itself names no package. Sources are not installed anywhere.
foreach(tool dpkg-shlibdeps file)
  find_program(found_${tool} ${tool})
  if(CPACK_GENERATOR STREQUAL "DEB" AND NOT found_${tool})
    message(FATAL_ERROR "${tool} is missing; this installs what Debian packages are made with: tools/packages package")
  endif()
endforeach()
if(CPACK_GENERATOR STREQUAL "External") # archive.cmake packs what cpack has gathered
  set(CPACK_PACKAGING_INSTALL_PREFIX "")
  set(CPACK_EXTERNAL_ENABLE_STAGING ON)
endif()
