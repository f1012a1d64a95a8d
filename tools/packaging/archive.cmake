# SPDX-License-Identifier: GPL-2.0-or-later
# Packs the sources that cpack has gathered: the same bytes for the same files, whoever does it, when and where. Their date is
# SOURCE_DATE_EPOCH if it is set, else that of the commit, else that of CMakeLists.txt, which in an unpacked archive is the date of it.
set(date "$ENV{SOURCE_DATE_EPOCH}")
if(date STREQUAL "")
  list(GET CPACK_INSTALLED_DIRECTORIES 0 sources)
  execute_process(COMMAND git -C "${sources}" log -1 --format=%ct OUTPUT_VARIABLE date ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(date STREQUAL "")
  file(TIMESTAMP "${CPACK_TEMPORARY_DIRECTORY}/CMakeLists.txt" date %s UTC)
endif()
cmake_path(GET CPACK_TEMPORARY_DIRECTORY PARENT_PATH above)
cmake_path(GET CPACK_TEMPORARY_DIRECTORY FILENAME name)
set(archive "${CPACK_PACKAGE_DIRECTORY}/${CPACK_PACKAGE_FILE_NAME}.tar.gz")
execute_process(
  COMMAND tar -C "${above}" --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime=@${date} -c "${name}"
  COMMAND gzip -9n OUTPUT_FILE "${archive}" COMMAND_ERROR_IS_FATAL ANY)
message(STATUS "The sources, dated ${date}: ${archive}")
