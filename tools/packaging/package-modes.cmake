# SPDX-License-Identifier: GPL-2.0-or-later
# Makes the folders of a package accessible for everybody; run by cpack before packing.
file(CHMOD_RECURSE "${CPACK_TEMPORARY_DIRECTORY}" DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# what strip leaves: the compiler's version
file(GLOB_RECURSE modules "${CPACK_TEMPORARY_DIRECTORY}/*.so")
find_program(STRIP strip)
foreach(module ${modules})
  execute_process(COMMAND "${STRIP}" --remove-section=.comment "${module}")
endforeach()
