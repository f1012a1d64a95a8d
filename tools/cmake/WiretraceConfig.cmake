# SPDX-License-Identifier: GPL-2.0-or-later
# find_package(Wiretrace) for projects that are to be recorded (docs/your-project.md):
#   wiretrace_instrument(TARGET XRAY|CACHERAY)    compiles a program or a library so that its calls or accesses are recorded; a program
#                                                 is also linked with the recorder. An empty second word changes nothing.
# Call it for the program, and for each of its libraries that is to be recorded.
get_filename_component(WIRETRACE_RECORDERS "${CMAKE_CURRENT_LIST_DIR}/../recorders" ABSOLUTE)
if(NOT EXISTS "${WIRETRACE_RECORDERS}/xray.c") # installed
  get_filename_component(WIRETRACE_RECORDERS "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
endif()

# The recorders are in C, also of a project in C++ alone: with clang++ that is clang.
if(NOT CMAKE_C_COMPILER AND NOT DEFINED ENV{CC} AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  get_filename_component(wiretrace_folder "${CMAKE_CXX_COMPILER}" DIRECTORY)
  get_filename_component(wiretrace_name "${CMAKE_CXX_COMPILER}" NAME)
  string(REPLACE "clang++" "clang" wiretrace_name "${wiretrace_name}")
  if(EXISTS "${wiretrace_folder}/${wiretrace_name}")
    set(CMAKE_C_COMPILER "${wiretrace_folder}/${wiretrace_name}")
  endif()
endif()
enable_language(C)

# Makes the recorder an object, once, without the options of the project: what it does must not be recorded.
function(wiretrace_recorder target name)
  if(TARGET ${target})
    return()
  endif()
  add_library(${target} OBJECT EXCLUDE_FROM_ALL "${WIRETRACE_RECORDERS}/${name}.c")
  set_target_properties(${target} PROPERTIES COMPILE_OPTIONS "-O2;-w" COMPILE_DEFINITIONS "" INCLUDE_DIRECTORIES ""
    C_STANDARD 11 C_EXTENSIONS ON INTERPROCEDURAL_OPTIMIZATION OFF UNITY_BUILD OFF C_CLANG_TIDY "" C_CPPCHECK "")
endfunction()

function(wiretrace_needs_clang)
  foreach(language C CXX)
    if(CMAKE_${language}_COMPILER_ID AND NOT CMAKE_${language}_COMPILER_ID STREQUAL "Clang")
      message(FATAL_ERROR "wiretrace_instrument: XRAY needs clang, and ${CMAKE_${language}_COMPILER} is not: "
        "CC=clang CXX=clang++ cmake, in a new build folder")
    endif()
  endforeach()
endfunction()

# Functions of shared libraries are recorded since clang 20.
function(wiretrace_share target)
  foreach(language C CXX)
    if(CMAKE_${language}_COMPILER_ID AND CMAKE_${language}_COMPILER_VERSION VERSION_LESS 20)
      message(FATAL_ERROR "wiretrace_instrument: ${target} is a shared library, of which clang ${CMAKE_${language}_COMPILER_VERSION} "
        "records nothing: take clang 20 or later, or a static library (-DBUILD_SHARED_LIBS=OFF)")
    endif()
  endforeach()
  target_compile_options(${target} PRIVATE -fxray-shared)
  target_link_options(${target} PRIVATE -fxray-instrument -fxray-shared)
endfunction()

function(wiretrace_instrument target kind)
  get_target_property(type ${target} TYPE)
  get_target_property(before ${target} WIRETRACE_KIND)
  if(kind STREQUAL "" OR before STREQUAL kind)
    return()
  elseif(before)
    message(FATAL_ERROR "wiretrace_instrument: ${target} cannot be recorded as ${before} and as ${kind}")
  elseif(kind STREQUAL "XRAY")
    wiretrace_needs_clang()
    set(compile -fxray-instrument -fxray-instruction-threshold=1)
    set(link -fxray-instrument)
  elseif(kind STREQUAL "CACHERAY")
    set(compile -fsanitize=thread)
    set(link -no-pie)
  else()
    message(FATAL_ERROR "wiretrace_instrument(TARGET XRAY|CACHERAY): there is no recorder ${kind}")
  endif()
  set_target_properties(${target} PROPERTIES WIRETRACE_KIND ${kind})
  target_compile_options(${target} PRIVATE -g "$<$<COMPILE_LANGUAGE:C,CXX>:${compile}>")
  string(TOLOWER ${kind} name)
  if(type STREQUAL "EXECUTABLE")
    wiretrace_recorder(wiretrace_recorder_${name} ${name})
    target_link_options(${target} PRIVATE ${link})
    target_link_libraries(${target} PRIVATE wiretrace_recorder_${name})
    set_target_properties(${target} PROPERTIES ENABLE_EXPORTS ON) # -rdynamic: names of callers, and libraries find the recorder
  elseif(kind STREQUAL "XRAY" AND type MATCHES "^(SHARED|MODULE)_LIBRARY$")
    wiretrace_share(${target})
  endif()
endfunction()
