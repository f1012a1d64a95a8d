/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The statistics and pictures of XRay logs. They take a display filter as last argument, like Wireshark's own. */
#ifndef WIRETRACE_XRAY_DISSECTOR_STATISTICS_H
#define WIRETRACE_XRAY_DISSECTOR_STATISTICS_H

void xray_statistics_register(int proto);
void xray_statistics_handoff(void);

#endif
