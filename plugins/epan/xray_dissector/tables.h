/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics and pictures that are in files of their own, for those who register them. */
#ifndef WIRETRACE_XRAY_DISSECTOR_TABLES_H
#define WIRETRACE_XRAY_DISSECTOR_TABLES_H

#include "picture/picture.h"
#include "showing/diff.h"
#include "xray/statistics/account.h"
#include "xray_dissector/record.h"

extern const picture_source xray_picture;

extern statistic xray_account_statistic, xray_call_statistic, xray_gaps_statistic, xray_graph_statistic;
extern diff xray_diff;

#endif
