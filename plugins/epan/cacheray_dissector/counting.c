/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray_dissector/counting.h"

#include "cacheray/statistics/display.h"
#include "cacheray_dissector/file.h"
#include "cacheray_dissector/settings.h"
#include "host/record_numbers.h"

static const void *counting_how(const statistic_run *run _U_)
{
    static cacheray_display shown;
    shown = (cacheray_display){.analysis = cacheray_file_analysis,
                               .line_size = cacheray_settings_line_size(),
                               .coherent = cacheray_settings_coherence(),
                               .frame_of = record_frame};
    return &shown;
}

const statistic_source cacheray_statistics = {.how = counting_how};
