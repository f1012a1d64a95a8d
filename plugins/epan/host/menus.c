/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/menus.h"

#include COMPAT_PLUGIN_IF
#include <epan/stat_tap_ui.h>
#include <wsutil/report_message.h>

#include <string.h>

typedef struct menu {
    const char *tap, *title;
    ext_menu_t *entries;
    struct menu *next;
} menu;

typedef struct entry {
    void (*start)(void *data);
    void *data;
} entry;

static menu *menus; /* of all protocols */

const funnel_ops_t *menus_windows(void)
{
    const funnel_ops_t *ops = funnel_get_funnel_ops();
    return ops && ops->new_dialog ? ops : NULL;
}

void menus_open(int proto, const char *tap, const char *title)
{
    menu *m = wmem_new(wmem_epan_scope(), menu);
    *m = (menu){.tap = tap, .title = title, .entries = ext_menubar_register_menu(proto, title, TRUE), .next = menus};
    ext_menubar_set_parentmenu(m->entries, "Statistics");
    menus = m;
}

static void chosen(ext_menubar_gui_type type _U_, void *window _U_, void *data)
{
    const entry *e = data;
    e->start(e->data);
}

/* Returns a title without the name of the protocol, as the submenu has it. */
static const char *short_title(const menu *m, const char *title)
{
    size_t n = strlen(m->title);
    return strncmp(title, m->title, n) == 0 && title[n] == ' ' ? title + n + 1 : title;
}

void menus_add(const char *tap, const char *title, void (*start)(void *data), void *data)
{
    const menu *m = menus;
    while (m && strcmp(m->tap, tap) != 0)
        m = m->next;
    if (!m)
        return;
    entry *e = wmem_new(wmem_epan_scope(), entry);
    *e = (entry){start, data};
    ext_menubar_add_entry(m->entries, short_title(m, title), title, chosen, e);
}

/* Stratoshark has no windows for some of Wireshark's tables. Who has chosen one in a menu sees only a window, so this is not
 * a notice (notices.h). */
bool menus_request(const char *window, const char *command)
{
    const bool known = process_stat_cmd_arg(window);
    if (!known)
        report_failure("This program has no window for this table. tshark -z %s prints it, Wireshark shows it.", command);
    return known;
}

void menus_start(const char *window, const char *command)
{
    if (menus_request(window, command))
        start_requested_stats();
}

void menus_filter(const char *filter)
{
    plugin_if_apply_filter(filter, TRUE);
}

static void start_command(void *command)
{
    menus_start(command, command);
}

void menus_add_command(const char *tap, const char *title, const char *command)
{
    menus_add(tap, title, start_command, (void *)(uintptr_t)command);
}
