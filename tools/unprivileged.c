/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded by tools/run. These functions replace those with the same names in libwsutil, which calls them through its own
 * symbol table. The process keeps all rights of its caller, so every file that the caller can read stays readable.
 * Uses no header of Wireshark: an int 0 is FALSE both as gboolean (up to 4.2) and as bool. */

/* Wireshark mistakes root for a set-uid start, and then silently ignores WIRESHARK_PLUGIN_DIR and so the new plugins
 * (wsutil/privileges.h). */

int started_with_special_privs(void);
int running_with_special_privs(void);

int started_with_special_privs(void)
{
    return 0;
}

int running_with_special_privs(void)
{
    return 0;
}

/* An installed plugin of the same name would be a second one: "found in multiple directories" (wsutil/filesystem.h). */
const char *get_plugins_pers_dir_with_version(void);

const char *get_plugins_pers_dir_with_version(void)
{
    return "/nonexistent";
}
