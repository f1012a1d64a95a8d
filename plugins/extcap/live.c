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
static int interfaces, dlts, config, capture, version, help;
enum { INTERFACE = 1, FILTER, PIPE, TRACE, IDLE, PROGRAM, ARGUMENTS, FILE_NAME, FOLDER, LEAVE, WIRESHARK, TEXTS };
static const char *text[TEXTS]; /* NULL: not given */

static const struct option options[] = {
    {"extcap-interfaces", no_argument, &interfaces, true},
    {"extcap-dlts", no_argument, &dlts, true},
    {"extcap-config", no_argument, &config, true},
    {"capture", no_argument, &capture, true},
    {"version", no_argument, &version, true},
    {"help", no_argument, &help, true},
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
    {NULL, 0, NULL, 0},
};

/* Returns whether a text was given that is not empty. */
static bool is_set(int which)
{
    return text[which] && *text[which];
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

static bool record_program(FILE *out, GError **error)
{
    program p = {.path = text[PROGRAM],
                 .arguments = text[ARGUMENTS],
                 .file = text[FILE_NAME],
                 .folder = text[FOLDER],
                 .leave = text[LEAVE] && strcmp(text[LEAVE], "false") != 0};
    bool good = program_start(&p, error);
    const capture_options o = {.places = {.path = p.trace, .ovni = p.ovni, .recorded = true}, .program = &p};
    good = good && capture_run(&o, out, error);
    program_clear(&p);
    return good;
}

static bool follow_trace(FILE *out, GError **error)
{
    const capture_options o = {.places = {.path = text[TRACE]},
                               .idle_most = is_set(IDLE) ? (unsigned)g_ascii_strtoull(text[IDLE], NULL, 10) : 0};
    return capture_run(&o, out, error);
}

/* What is wrong with the settings, or NULL. */
static const char *refusal(bool record)
{
    if (is_set(FILTER))
        return NO_FILTERS;
    if (is_set(record ? PROGRAM : TRACE))
        return NULL;
    return record ? "the program to record is not set (extcap.wiretrace_record.program)"
                  : "the trace to follow is not set (extcap.wiretrace_follow.trace)";
}

static int capture_with(bool record)
{
    g_autoptr(GError) error = NULL;
    if (!is_set(PIPE))
        return fail("--capture needs --fifo");
    FILE *out = capture_open(text[PIPE], NAME " " WIRETRACE_VERSION, &error);
    if (!out)
        return error ? fail(error->message) : EXIT_SUCCESS;
    const char *refused = refusal(record);
    if (refused)
        return fail(refused);
    forget_parts();
    return (record ? record_program : follow_trace)(out, &error) ? EXIT_SUCCESS : fail(error->message);
}

static int of_interface(void)
{
    const char *name = is_set(INTERFACE) ? text[INTERFACE] : "";
    const bool record = strcmp(name, RECORD) == 0;
    if (!record && strcmp(name, FOLLOW) != 0)
        return fail("there are the interfaces " FOLLOW " and " RECORD);
    if (capture)
        return capture_with(record);
    if (dlts)
        print_dlts();
    else if (config)
        print_config(record);
    else if (is_set(FILTER))
        puts(NO_FILTERS);
    else if (!text[FILTER])
        return fail("nothing was asked for: --help");
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    capture_begin();
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == '?')
            return EXIT_FAILURE;
        if (option)
            text[option] = optarg ? optarg : "true";
    }
    if (version)
        puts(NAME " " WIRETRACE_VERSION);
    else if (help || argc < 2)
        print_help();
    else if (interfaces)
        print_interfaces();
    else
        return of_interface();
    return EXIT_SUCCESS;
}
