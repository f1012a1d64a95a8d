# SPDX-License-Identifier: GPL-2.0-or-later
# Builds for another processor, with a cross compiler and the libraries of that processor as Debian installs them side by side:
#   cmake -S . -B build-s390x --toolchain test/cross/toolchain.cmake -DWIRETRACE_TRIPLET=s390x-linux-gnu
# Tests run under qemu's user emulation. WIRETRACE_TRIPLET names processor and system as the compiler does: s390x-linux-gnu-gcc.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WIRETRACE_TRIPLET)
if(NOT WIRETRACE_TRIPLET)
  message(FATAL_ERROR "WIRETRACE_TRIPLET is not set: s390x-linux-gnu, aarch64-linux-gnu...")
endif()

set(CMAKE_SYSTEM_NAME Linux)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR "${WIRETRACE_TRIPLET}")
set(CMAKE_C_COMPILER ${WIRETRACE_TRIPLET}-gcc)
set(CXX_COMPILER ${WIRETRACE_TRIPLET}-g++ CACHE FILEPATH "Compiles C++ programs whose debug information tests read")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR}-static)

# packages of that processor only, not those of this machine
set(ENV{PKG_CONFIG_LIBDIR} "/usr/lib/${WIRETRACE_TRIPLET}/pkgconfig:/usr/share/pkgconfig")
