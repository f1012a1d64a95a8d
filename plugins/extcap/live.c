/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wiretrace-live: shows records in Wireshark as they are written. Wireshark starts this program as it starts those of other
 * extcap interfaces: to ask what there is, what can be set, and to capture (docs/live.md). */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "pcapng.h"

#define FOLLOW "wiretrace-follow"
#define RECORD "wiretrace-record"
#define NAME "wiretrace-live"

/* What was asked for. */
typedef struct asked {
    bool interfaces, dlts, config, capture, version, help;
    const char *interface, *filter, *pipe, *trace, *idle, *program, *arguments, *file, *folder;
    bool leave;
} asked;

enum {
    INTERFACES = 256,
    DLTS,
    CONFIG,
    CAPTURE,
    INTERFACE,
    FILTER,
    PIPE,
    WIRESHARK,
    TRACE,
    IDLE,
    PROGRAM,
    ARGUMENTS,
    FILE_NAME,
    FOLDER,
    LEAVE
};

static const struct option options[] = {
    {"extcap-interfaces", no_argument, NULL, INTERFACES},
    {"extcap-dlts", no_argument, NULL, DLTS},
    {"extcap-config", no_argument, NULL, CONFIG},
    {"capture", no_argument, NULL, CAPTURE},
    {"extcap-interface", required_argument, NULL, INTERFACE},
    {"extcap-capture-filter", required_argument, NULL, FILTER},
    {"extcap-version", optional_argument, NULL, WIRESHARK},
    {"fifo", required_argument, NULL, PIPE},
    {"trace", required_argument, NULL, TRACE},
    {"idle", required_argument, NULL, IDLE},
    {"program", required_argument, NULL, PROGRAM},
    {"arguments", required_argument, NULL, ARGUMENTS},
    {"file", required_argument, NULL, FILE_NAME},
    {"folder", required_argument, NULL, FOLDER},
    {"leave", optional_argument, NULL, LEAVE},
    {"version", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool take_option(asked *a, int option)
{
    switch (option) {
    case INTERFACES:
        a->interfaces = true;
        break;
    case DLTS:
        a->dlts = true;
        break;
    case CONFIG:
        a->config = true;
        break;
    case CAPTURE:
        a->capture = true;
        break;
    case INTERFACE:
        a->interface = optarg;
        break;
    case FILTER:
        a->filter = optarg;
        break;
    case PIPE:
        a->pipe = optarg;
        break;
    case WIRESHARK:
        break;
    case TRACE:
        a->trace = optarg;
        break;
    case IDLE:
        a->idle = optarg;
        break;
    case PROGRAM:
        a->program = optarg;
        break;
    case ARGUMENTS:
        a->arguments = optarg;
        break;
    case FILE_NAME:
        a->file = optarg;
        break;
    case FOLDER:
        a->folder = optarg;
        break;
    case LEAVE:
        a->leave = !optarg || strcmp(optarg, "false") != 0;
        break;
    case 'v':
        a->version = true;
        break;
    case 'h':
        a->help = true;
        break;
    default:
        return false;
    }
    return true;
}

static int fail(const char *reason)
{
    fprintf(stderr, "Wiretrace: %s\n", reason);
    return EXIT_FAILURE;
}

/* --- what there is ------------------------------------------------------------------------------------------------------
 */

static void print_interfaces(void)
{
    puts("extcap {version=" WIRETRACE_VERSION "}{display=Wiretrace}\n"
         "interface {value=" FOLLOW "}{display=Wiretrace: follow a trace}\n"
         "interface {value=" RECORD "}{display=Wiretrace: record a program}");
}

static void print_dlts(void)
{
    printf("dlt {number=%d}{name=%s}{display=Records}\n", PCAPNG_LINK_TYPE, PCAPNG_LINK_NAME);
}

static void print_config(bool record)
{
    if (record)
        puts("arg {number=0}{call=--program}{display=Program}{type=fileselect}{mustexist=true}{required=true}"
             "{tooltip=A program that is linked with a recorder, or that clang has instrumented}\n"
             "arg {number=1}{call=--arguments}{display=Arguments}{type=string}{tooltip=As in a shell, which is not used}\n"
             "arg {number=2}{call=--folder}{display=Runs in}{type=string}{tooltip=A folder. Empty: that of Wireshark}\n"
             "arg {number=3}{call=--file}{display=Trace}{type=fileselect}{mustexist=false}"
             "{tooltip=A new file. Its output is beside it, in NAME.output. Empty: in a new temporary folder}\n"
             "arg {number=4}{call=--leave}{display=Leave it running when the capture stops}{type=boolflag}{default=false}");
    else
        puts("arg {number=0}{call=--trace}{display=Trace}{type=fileselect}{mustexist=false}{required=true}"
             "{tooltip=A file that is being written, or will be. Of ovni: the folder, or a metadata file in it}\n"
             "arg {number=1}{call=--idle}{display=Stop after so many seconds without records}{type=unsigned}{default=0}"
             "{range=0,86400}{tooltip=0: when the capture is stopped}");
}

static void print_help(void)
{
    puts("Usage: Wireshark starts this program. With tshark:\n"
         "  tshark -i " FOLLOW " -o extcap.wiretrace_follow.trace:FILE\n"
         "  tshark -i " RECORD " -o extcap.wiretrace_record.program:FILE\n"
         "Options:\n"
         "  --extcap-interfaces                         the interfaces\n"
         "  --extcap-interface=NAME --extcap-dlts       link types of one of them\n"
         "  --extcap-interface=NAME --extcap-config     what can be set\n"
         "  --extcap-interface=NAME --capture --fifo=FILE  writes a capture file, with these settings:\n" FOLLOW
         ": --trace=FILE [--idle=SECONDS]\n" RECORD
         ": --program=FILE [--arguments=TEXT] [--folder=FOLDER] [--file=FILE] [--leave]\n"
         "  --version, --help");
}

/* --- capturing ----------------------------------------------------------------------------------------------------------
 */

/* There is none that this program could apply. What is printed is shown as the reason. */
#define NO_FILTERS "Wiretrace has no capture filters: use a display filter, which can be changed while records come."

/* Parts that Wireshark opens are of a file: what is captured is all of a trace. */
static void forget_parts(void)
{
    g_auto(GStrv) names = g_listenv();
    for (char **n = names; *n; n++)
        if (g_str_has_prefix(*n, "WIRETRACE_TIME") || g_str_has_prefix(*n, "WIRETRACE_STREAMS"))
            g_unsetenv(*n);
}

static bool record_program(const asked *a, FILE *out, GError **error)
{
    program p = {.path = a->program, .arguments = a->arguments, .file = a->file, .folder = a->folder, .leave = a->leave};
    bool good = program_start(&p, error);
    const capture_options o = {.places = {.path = p.trace, .ovni = p.ovni, .recorded = true}, .program = &p};
    good = good && capture_run(&o, out, error);
    program_clear(&p);
    return good;
}

static bool follow_trace(const asked *a, FILE *out, GError **error)
{
    const capture_options o = {.places = {.path = a->trace},
                               .idle_most = a->idle ? (unsigned)g_ascii_strtoull(a->idle, NULL, 10) : 0};
    return capture_run(&o, out, error);
}

/* What is wrong with the settings, or NULL. */
static const char *refusal(const asked *a, bool record)
{
    const char *path = record ? a->program : a->trace;
    if (a->filter && *a->filter)
        return NO_FILTERS;
    if (path && *path)
        return NULL;
    return record ? "the program to record is not set (extcap.wiretrace_record.program)"
                  : "the trace to follow is not set (extcap.wiretrace_follow.trace)";
}

static int capture_with(const asked *a, bool record)
{
    g_autoptr(GError) error = NULL;
    if (!a->pipe)
        return fail("--capture needs --fifo");
    FILE *out = capture_open(a->pipe, NAME " " WIRETRACE_VERSION, &error);
    if (!out)
        return fail(error->message);
    const char *refused = refusal(a, record);
    if (refused)
        return fail(refused);
    forget_parts();
    return (record ? record_program : follow_trace)(a, out, &error) ? EXIT_SUCCESS : fail(error->message);
}

static int of_interface(const asked *a)
{
    const bool record = a->interface && strcmp(a->interface, RECORD) == 0;
    if (!a->interface || (!record && strcmp(a->interface, FOLLOW) != 0))
        return fail("there are the interfaces " FOLLOW " and " RECORD);
    if (a->capture)
        return capture_with(a, record);
    if (a->dlts)
        print_dlts();
    else if (a->config)
        print_config(record);
    else if (a->filter && *a->filter)
        puts(NO_FILTERS);
    else if (!a->filter)
        return fail("nothing was asked for: --help");
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    asked a = {0};
    for (int option; (option = getopt_long(argc, argv, "hv", options, NULL)) != -1;)
        if (!take_option(&a, option))
            return EXIT_FAILURE;
    if (a.version)
        puts(NAME " " WIRETRACE_VERSION);
    else if (a.help || argc < 2)
        print_help();
    else if (a.interfaces)
        print_interfaces();
    else
        return of_interface(&a);
    return EXIT_SUCCESS;
}
