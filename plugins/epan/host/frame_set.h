/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same as containers/frame_set.h, for what includes it from here. */
#ifndef WIRETRACE_HOST_FRAME_SET_H
#define WIRETRACE_HOST_FRAME_SET_H

#include "containers/frame_set.h"

#endif
