# SPDX-License-Identifier: GPL-2.0-or-later
# The rooms (folders) of common/ and plugins/epan/, from the ground up; rooms in one text are beside each other. A file includes files
# of its own room and of rooms below. Every other folder is a format: it may include all rooms, and no other format. A folder inside a
# format is above it. Included by CMakeLists.txt; cmake -P tools/rooms.cmake only checks.
cmake_minimum_required(VERSION 3.25)
set(WIRETRACE_ROOMS_common "util" "containers" "statistics core program" "analysis")
set(WIRETRACE_ROOMS_plugins/epan "host" "statistics" "picture" "dissector")

# The height of a room; 100 and more: a format.
function(room_height tree room result)
  set(height 0)
  foreach(floor ${WIRETRACE_ROOMS_${tree}})
    math(EXPR height "${height} + 1")
    string(REPLACE " " ";" beside "${floor}")
    if(room IN_LIST beside)
      set(${result} ${height} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  string(REGEX MATCHALL "/" deeper "${room}")
  list(LENGTH deeper height)
  math(EXPR height "${height} + 100")
  set(${result} ${height} PARENT_SCOPE)
endfunction()

# Stops at the first file that includes one of a room above its own, or beside it; in common/, also at one that includes Wireshark.
function(check_rooms top tree)
  file(GLOB_RECURSE files RELATIVE ${top}/${tree} ${top}/${tree}/*/*.[ch])
  foreach(file ${files})
    get_filename_component(room ${file} DIRECTORY)
    room_height(${tree} ${room} height)
    file(STRINGS ${top}/${tree}/${file} lines REGEX "^ *# *include ")
    foreach(line ${lines})
      if(tree STREQUAL common AND line MATCHES "[<\"](epan|wiretap|wsutil|wireshark)/")
        message(FATAL_ERROR "${tree}/${file}: ${line}: common/ knows nothing of Wireshark")
      endif()
      if(NOT line MATCHES "\"(.+)/([^/]+)\"")
        continue()
      endif()
      set(other ${CMAKE_MATCH_1})
      if(NOT EXISTS ${top}/${tree}/${other}/${CMAKE_MATCH_2}) # of the other tree
        continue()
      endif()
      room_height(${tree} ${other} other_height)
      string(FIND "${room}/" "${other}/" inside) # 0: a folder inside the format that it includes
      if(other_height GREATER height OR (other_height EQUAL height AND NOT other STREQUAL room) OR
         (other_height GREATER 99 AND NOT inside EQUAL 0))
        message(FATAL_ERROR "${tree}/${file} includes ${other}/${CMAKE_MATCH_2}: ${other} is not below ${room} (tools/rooms.cmake)")
      endif()
    endforeach()
  endforeach()
endfunction()

get_filename_component(wiretrace_top "${CMAKE_CURRENT_LIST_DIR}" DIRECTORY)
check_rooms("${wiretrace_top}" common)
check_rooms("${wiretrace_top}" plugins/epan)
