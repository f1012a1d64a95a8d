# SPDX-License-Identifier: GPL-2.0-or-later
# find_package(Wiretrace) for projects that are to be recorded (docs/your-project.md):
#   wiretrace_instrument(TARGET XRAY|CACHERAY)    compiles a program or a library so that its calls or accesses are recorded; a program
#                                                 is also linked with the recorder. Without a second word nothing is changed.
# Call it for the program, and for each of its libraries that is to be recorded.
get_filename_component(WIRETRACE_RECORDERS "${CMAKE_CURRENT_LIST_DIR}/../recorders" ABSOLUTE)
if(NOT EXISTS "${WIRETRACE_RECORDERS}/xray.c") # installed
  get_filename_component(WIRETRACE_RECORDERS "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
endif()

# Makes the recorder an object, once, without the options of the project: what it does must not be recorded. It is in C: a project in
# C++ alone needs no compiler of C for it, as that of C++ is one.
function(wiretrace_recorder target name)
  if(TARGET ${target})
    return()
  endif()
  add_library(${target} OBJECT EXCLUDE_FROM_ALL "${WIRETRACE_RECORDERS}/${name}.c")
  set_target_properties(${target} PROPERTIES COMPILE_OPTIONS "-O2;-w" COMPILE_DEFINITIONS "" INCLUDE_DIRECTORIES ""
    C_STANDARD 11 C_EXTENSIONS ON INTERPROCEDURAL_OPTIMIZATION OFF UNITY_BUILD OFF C_CLANG_TIDY "" C_CPPCHECK "")
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "C" IN_LIST languages)
    set_source_files_properties("${WIRETRACE_RECORDERS}/${name}.c" PROPERTIES LANGUAGE CXX)
    set_target_properties(${target} PROPERTIES COMPILE_OPTIONS "SHELL:-x c;-std=gnu11;-O2;-w" CXX_CLANG_TIDY "" CXX_CPPCHECK "")
    set_property(TARGET ${target} PROPERTY CXX_STANDARD)
  endif()
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

function(wiretrace_instrument target)
  string(TOUPPER "${ARGN}" kind)
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
    message(FATAL_ERROR "wiretrace_instrument(TARGET XRAY|CACHERAY): there is no recorder ${ARGN}")
  endif()
  set_target_properties(${target} PROPERTIES WIRETRACE_KIND ${kind})
  target_compile_options(${target} PRIVATE -g "$<$<COMPILE_LANGUAGE:C,CXX>:${compile}>")
  string(TOLOWER ${kind} name)
  if(type STREQUAL "EXECUTABLE")
    wiretrace_recorder(wiretrace_recorder_${name} ${name})
    target_link_options(${target} PRIVATE ${link})
    # as target_link_libraries() would, which refuses PRIVATE where the project has the signature without it, and the other way round
    set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES wiretrace_recorder_${name})
    set_target_properties(${target} PROPERTIES ENABLE_EXPORTS ON) # -rdynamic: names of callers, and libraries find the recorder
  elseif(kind STREQUAL "XRAY" AND type MATCHES "^(SHARED|MODULE)_LIBRARY$")
    wiretrace_share(${target})
  endif()
endfunction()
