/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded by tools/run. Wireshark takes root for a set-uid start and then ignores WIRESHARK_PLUGIN_DIR, so the fresh
 * plugins would silently not be there. These two replace the functions of the same name in libwsutil
 * (wsutil/privileges.h), which calls them through its own symbol table; the process keeps all rights of its caller, so
 * every file that the caller can read stays readable.
 * Knows nothing else about Wireshark: no header; an int 0 is FALSE as gboolean (up to 4.2) and as bool. */

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
