/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Read before each source of the plugins (compile.py): the headers of Wireshark 4.6, with what 4.7, to be 5.0, declares
 * otherwise. */
#define WS_BUILD_DLL
#include <wireshark.h>
#include <ws_version.h>
#undef WIRESHARK_VERSION_MAJOR
#undef WIRESHARK_VERSION_MINOR
#define WIRESHARK_VERSION_MAJOR 5
#define WIRESHARK_VERSION_MINOR 0

/* what changed has another name while the old headers are read */
#define tvb_new_subset_length tvb_new_subset_length_before
#define tvb_new_subset_remaining tvb_new_subset_remaining_before
#define profile_exists profile_exists_before
#define dpibs pibs
#include <wiretap/wtap_module.h>
#include <epan/epan.h>
#include <epan/tvbuff.h>
#include <wsutil/filesystem.h>
#undef tvb_new_subset_length
#undef tvb_new_subset_remaining
#undef profile_exists

tvbuff_t *tvb_new_subset_length(tvbuff_t *backing, unsigned offset, unsigned length);
tvbuff_t *tvb_new_subset_remaining(tvbuff_t *backing, unsigned offset);
bool profile_exists(const char *prefix, const char *name, bool global);
const char *epan_get_environment_prefix(void);

/* the table of processes; their file.pibs was the table for Darwin only */
#define WTAP_BLOCK_PROCESS_INFORMATION MAX_WTAP_BLOCK_TYPE_VALUE
#define OPT_PIB_NAME 2
typedef struct wtapng_process_info_mandatory_s {
    uint32_t process_id;
    uint32_t block_type;
} wtapng_process_info_mandatory_t;
