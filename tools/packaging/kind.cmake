# SPDX-License-Identifier: GPL-2.0-or-later
# Read by cpack for each kind of package: sources are not installed anywhere.
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_PACKAGING_INSTALL_PREFIX "")
endif()
