/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded by tools/run. Wireshark mistakes root for a set-uid start, and then silently ignores WIRESHARK_PLUGIN_DIR and so
 * the new plugins. These two functions replace those with the same names in libwsutil (wsutil/privileges.h), which it calls
 * through its own symbol table. The process keeps all rights of its caller, so every file that the caller can read stays
 * readable.
 * Uses no header of Wireshark: an int 0 is FALSE both as gboolean (up to 4.2) and as bool. */

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
