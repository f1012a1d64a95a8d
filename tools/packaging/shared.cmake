# SPDX-License-Identifier: GPL-2.0-or-later
# Installs (ACTION install) or removes (ACTION remove) everything but the plugins: profiles, man pages, the command, recorders, file
# types and desktop entries. where.cmake says where to; FROM_PROFILES and FROM_DATA are the folders with the files.
set(EVERYBODY ${everybody})
set(BASE "$ENV{DESTDIR}${base}")
set(FROM "${FROM_PROFILES}")
list(TRANSFORM profiles PREPEND "$ENV{DESTDIR}" OUTPUT_VARIABLE TO)
set(CHANGED ON)
if(everybody)
  set(CHANGED OFF)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/files.cmake)

set(FROM "${FROM_DATA}")
set(TO "$ENV{DESTDIR}${data}")
set(CHANGED OFF)
include(${CMAKE_CURRENT_LIST_DIR}/files.cmake)

# the command finds what it needs where the link leads to
set(bin "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin")
set(command "${data}/wiretrace/wiretrace")
if(everybody)
  set(command ../share/wiretrace/wiretrace)
endif()
if(ACTION STREQUAL "install")
  message("-- Installing: ${bin}/wiretrace")
  execute_process(COMMAND sh -c "umask 022; mkdir -p \"$1\" && ln -sf \"$2\" \"$1/wiretrace\"" sh "${bin}" "${command}"
    COMMAND_ERROR_IS_FATAL ANY)
elseif(IS_SYMLINK "${bin}/wiretrace")
  message("-- Removing: ${bin}/wiretrace")
  file(REMOVE "${bin}/wiretrace")
  prune("${bin}" "${BASE}")
endif()

# the desktop's own lists, where it has any
if("$ENV{DESTDIR}" STREQUAL "")
  foreach(folder mime applications)
    string(REPLACE "applications" "desktop" list "${folder}")
    find_program(update_${list} update-${list}-database)
    if(update_${list} AND EXISTS "${data}/${folder}")
      execute_process(COMMAND ${update_${list}} "${data}/${folder}" OUTPUT_QUIET ERROR_QUIET)
    endif()
  endforeach()
endif()
