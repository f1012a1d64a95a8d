# SPDX-License-Identifier: GPL-2.0-or-later
# Decides where to install, when it runs: below a prefix that somebody gave, with --prefix or while configuring; otherwise
# for all users if it is root that runs it, else for the user who does. Who configured does not matter.
# Stratoshark shares the plugins of all users with Wireshark, but neither a user's own nor any profiles.
# Sets CMAKE_INSTALL_PREFIX, plugins and stratoshark_plugins (below the prefix; the latter empty if it has none of its own), extcap
# (the folder of programs for live captures, relative to the prefix),
# base (above all of them), profiles and data (absolute paths, the latter of man pages, the command, recorders, file types and desktop entries) and everybody.
# Needs wireshark_prefix, wireshark_plugins and wireshark_extcap (as Wireshark itself is installed), version (of its plugins) and
# configured_prefix (empty if none was given), and ACTION: install or remove.
cmake_policy(VERSION 3.25) # scripts have none
set(everybody ON)
set(plugins "${wireshark_plugins}")
set(extcap "${wireshark_extcap}")
set(stratoshark_plugins "")
execute_process(COMMAND id -u OUTPUT_VARIABLE uid OUTPUT_STRIP_TRAILING_WHITESPACE)
if(DEFINED CACHE{CMAKE_INSTALL_PREFIX}) # --prefix, or -D before -P; otherwise only the script's own default is set
  cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE)
elseif(configured_prefix)
  set(CMAKE_INSTALL_PREFIX "${configured_prefix}")
elseif(uid STREQUAL "0")
  set(CMAKE_INSTALL_PREFIX "${wireshark_prefix}")
else()
  set(everybody OFF)
  set(config "$ENV{HOME}/.config")
  if(NOT "$ENV{XDG_CONFIG_HOME}" STREQUAL "")
    set(config "$ENV{XDG_CONFIG_HOME}")
  endif()
  set(data "$ENV{HOME}/.local/share")
  if(NOT "$ENV{XDG_DATA_HOME}" STREQUAL "")
    set(data "$ENV{XDG_DATA_HOME}")
  endif()
  foreach(folder "$ENV{HOME}" "${config}" "${data}") # su and sudo can leave these as they were
    execute_process(COMMAND test -O "${folder}" RESULT_VARIABLE foreign)
    if(foreign AND (EXISTS "${folder}" OR folder STREQUAL "$ENV{HOME}"))
      message(FATAL_ERROR "The folder '${folder}' is not yours. Set HOME, XDG_CONFIG_HOME and XDG_DATA_HOME to your own folders, or use --prefix.")
    endif()
  endforeach()
  set(CMAKE_INSTALL_PREFIX "$ENV{HOME}/.local")
  set(base "$ENV{HOME}")
  set(plugins "lib/wireshark/plugins/${version}")
  set(profiles "${config}/wireshark/profiles")
  set(extcap "lib/wireshark/extcap")
  if(version VERSION_LESS 4.2)
    file(RELATIVE_PATH extcap "${CMAKE_INSTALL_PREFIX}" "${config}/wireshark/extcap")
  endif()
  message(STATUS "For yourself: ${CMAKE_INSTALL_PREFIX}/${plugins}, ${profiles}, ${data}")
endif()
if(everybody)
  message(STATUS "For all users of the Wireshark in ${CMAKE_INSTALL_PREFIX}; the one that was built for is in ${wireshark_prefix}")
  set(profiles "${CMAKE_INSTALL_PREFIX}/share/wireshark/profiles")
  set(data "${CMAKE_INSTALL_PREFIX}/share")
  set(base "${CMAKE_INSTALL_PREFIX}")
endif()
# it is a package of its own: nothing is written for it where it is not installed, but all is removed
find_program(stratoshark NAMES stratoshark strato)
if(version VERSION_GREATER_EQUAL 4.6 AND (stratoshark OR NOT ACTION STREQUAL "install"))
  if(NOT everybody)
    string(REPLACE "wireshark" "stratoshark" stratoshark_plugins "${plugins}")
  endif()
  string(REPLACE "/wireshark/profiles" "/stratoshark/profiles" more "${profiles}")
  list(APPEND profiles "${more}")
endif()
