#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What tools/wiretrace does beside printing (cases/command.txt): it records, makes pages, opens windows, completes, and works once installed.

usage: command.py [--build DIR] folders|record|flags|projects|completion|opened|installed

folders     a trace of ovni by its folder, from any folder: the same as by its file
record      programs with each recorder, and one with clang's runtime only: the trace that they wrote, their exit status
flags       programs that are compiled and linked with the options, and with the commands for make and for cmake where they were built before
projects    the projects in test/projects, by find_package(Wiretrace): with each recorder, without, and what is refused
completion  of bash, and of zsh where it is installed
opened      the flame graph in the browser, the trace in the window, the summary on a terminal
installed   below a prefix: with the tshark of the system, as root and as a user; without plugins, without tshark; found by CMake
Exit status 77: skipped, clang or its XRay runtime is missing.
"""
import contextlib
import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import check  # noqa: E402
from check import CAPTURES, TOP, compare, entry, require, skip  # noqa: E402
from recorders import build, clangs, must  # noqa: E402

COMMAND, PROJECTS = TOP / "tools" / "wiretrace", TOP / "test" / "projects"
LOG = CAPTURES / "search" / "xray-log.search.before"
FOUND = f"-DWiretrace_DIR={TOP}/tools/cmake"
QUESTION = "Which function takes most of the time?"
TOOLS = ["awk", "bash", "cat", "grep", "paste", "readlink", "sed", "sort"]


def ask(*words, command=COMMAND, folder=None, code=0, env=None):
    """Standard output and standard error of wiretrace."""
    done = subprocess.run([command, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                          errors="replace", env={**os.environ, **(env or {})}, timeout=check.RUN_SECONDS, check=False)
    require(done.returncode == code, "wiretrace", *words, "ends with", done.returncode, done.stdout[-500:], done.stderr[-1000:])
    return done.stdout, done.stderr


def needs_clang(folder):
    (folder / "any.c").write_text("int main(void) { return 0; }\n")
    if not shutil.which("clang++") or build("clang", "-fxray-instrument", folder / "any.c", "-o", folder / "any"):
        skip("clang or its XRay runtime is missing")


# --- answers ----------------------------------------------------------------------------------------------------------------
def folders(folder):
    trace = CAPTURES / "ovni" / "v3-hwc"
    (folder / "linked").symlink_to(trace)
    want, _ = ask("states", entry(trace), "csv")
    require("Running" in want, want)
    for name in trace, f"{trace}/", "linked", f"../{folder.name}/linked":
        got, error = ask("states", name, "csv", folder=folder)
        compare(f"states of {name}", want, got)
        require(not error, error)
    before, after = (ask("diff", *both, "csv")[0] for both in ((trace, trace), (entry(trace), entry(trace))))
    compare("diff of folders", after, before)
    # runs on one machine are several traces
    for name in "one", "two":
        shutil.copytree(CAPTURES / "ovni" / "v3-hwc", folder / "runs" / name)
    _, error = ask("runs", folder=folder, code=1)
    require(error.endswith("the folder 'runs' is not one trace, but has these:\nruns/one\nruns/two\n"), error)


# --- recording --------------------------------------------------------------------------------------------------------------
def options(kind, what):
    return ask("flags", kind, what)[0].split()


def programs(folder):
    """With each recorder, and one with clang's runtime only."""
    for kind, source in ("xray", PROJECTS / "words" / "words.cpp"), ("cacheray", TOP / "captures" / "src" / "cacheray" / "falseshare.c"):
        compiler = "clang++" if source.suffix == ".cpp" else "clang"
        made = folder / f"{kind}.o"
        must(compiler, *options(kind, "compile"), "-c", source, "-o", made)
        must(compiler, made, *options(kind, "link"), "-o", folder / kind)
    must("clang++", *options("xray", "compile"), PROJECTS / "words" / "words.cpp", "-o", folder / "plain")


def of_logs(folder):
    out, error = ask("record", "./xray", folder=folder)
    require(out == "5 words\n", out)
    require(re.search(rf"^xray-log\.xray\.\d+\nLLVM XRay .* of 1 thread.*\n\n{re.escape(QUESTION)}.*\n.*\n.* main$", error, re.M), error)
    require(re.search(r"\n\nEvery record: \S*wiretrace open xray-log\.xray\.\d+\n$", error), error)
    out, error = ask("record", "-o", "sub/own.log", "--", folder / "xray", folder=folder)
    require((folder / "sub" / "own.log").exists() and "\nsub/own.log\nLLVM XRay" in error and "5 words" in out, error)
    _, error = ask("record", "./xray", folder=folder, env={"WIRETRACE_RECORD": "file=of-user,mode=wrong"}, code=2)
    require("mode is fdr or profiling" in error and "no trace was written" in error, error)


def record(folder):
    needs_clang(folder)
    (folder / "sub").mkdir()
    programs(folder)
    of_logs(folder)
    out, error = ask("record", "./cacheray", folder=folder)
    require(re.search(r"^cacheray\.trace\nCacheray memory trace: [\d,]+ records of 5 threads$", error, re.M), error)
    out, error = ask("record", "./plain", folder=folder)
    require(out == "5 words\n" and re.search(r"^xray-log\.plain\.\w+\nLLVM XRay basic mode log", error, re.M), error)
    ask("record", "-o", "name", "./plain", folder=folder, code=2)
    # of several traces the largest is shown, and all are listed; the status is that of the program
    _, error = ask("record", "sh", "-c", "WIRETRACE_RECORD=file=a.trace ./xray; ./cacheray; exit 3", folder=folder, code=3)
    require(re.search(r"^Traces:\n  a\.trace\n  cacheray\.trace\.\d+\n\ncacheray\.trace\.\d+\nCacheray", error, re.M), error)


def run_printed(folder, *words, env=None):
    """Does what the command prints, as `| sh` would: without a warning of the compiler."""
    done = subprocess.run(["sh"], input=ask("flags", *words, folder=folder)[0], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                          env={**os.environ, **(env or {})}, check=False)
    require(done.returncode == 0 and "warning:" not in done.stdout, words, done.stdout)


def linked(folder):
    """Options to link, before and after the objects: no compiler warns."""
    (folder / "main.c").write_text("int main(void) { return 0; }\n")
    for compiler, kind in [(c, "xray") for c in clangs()] + [(c, "cacheray") for c in [*clangs(), "gcc"]]:
        must(compiler, *options(kind, "compile"), "-c", folder / "main.c", "-o", folder / "main.o")
        for words in ([folder / "main.o", *options(kind, "link")], [*options(kind, "link"), folder / "main.o"]):
            problem = build(compiler, "-Werror", *words, "-o", folder / "main")
            require(problem is None or "libclang_rt.xray" in problem, compiler, kind, problem)


def left_out(folder):
    """A list of functions that are not recorded."""
    (folder / "never.txt").write_text("[never]\nfun:*count_word*\n")
    run_printed(folder / "prices", "xray", "cmake", "../never.txt", env={"Wiretrace_DIR": f"{TOP}/tools/cmake"})
    must("clang++", *ask("flags", "xray", "compile", "never.txt", folder=folder)[0].split(), "-c", PROJECTS / "words" / "words.cpp", "-o", folder / "w.o")
    must("clang++", folder / "w.o", *options("xray", "link"), "-o", folder / "w")
    ask("record", "-o", "w.log", "./w", folder=folder)
    out, _ = ask("functions", "w.log", "csv", folder=folder)
    require("main" in out and "count_word" not in out, out)
    for words, code, reason in ((("cacheray", "cmake", "never.txt"), 2, "lists of functions are for xray"), (("xray", "cmake", "nothing"), 1, "no file 'nothing'")):
        require(reason in ask("flags", *words, folder=folder, code=code)[1], words)


def flags(folder):
    needs_clang(folder)
    linked(folder)
    shutil.copy(PROJECTS / "words" / "words.cpp", folder)
    (folder / "Makefile").write_text("words: words.o\n\t$(CXX) words.o $(LDFLAGS) -o words\n")
    prices = folder / "prices"
    shutil.copytree(PROJECTS / "prices", prices)
    # built before without a recorder, then with one after the other
    for command in ("make", "-C", folder), ("cmake", "-S", prices, "-B", prices / "build-xray", FOUND), ("cmake", "--build", prices / "build-xray"):
        must(*command)
    _, error = ask("record", "./words", folder=folder, code=1)
    require("no trace was written" in error and "built before" in error, error)
    for kind, seen in ("xray", "LLVM XRay"), ("cacheray", "Cacheray"):
        both = dict(line.split(": ", 1) for line in ask("flags", kind)[0].splitlines())
        require((both["compile"].split(), both["link"].split()) == (options(kind, "compile"), options(kind, "link")), both)
        run_printed(folder, kind, "make")
        _, error = ask("record", "-o", f"{kind}.1", "./words", folder=folder)
        require(re.search(f"^{seen}.* of 1 thread", error, re.M), error)
        run_printed(prices, kind, "cmake", env={"Wiretrace_DIR": f"{TOP}/tools/cmake"})
        _, error = ask("record", f"build-{kind}/prices", folder=prices)
        require(re.search(f"^{seen}.* of 1 thread", error, re.M), error)
    require(not list(folder.glob("recorder*")), "the folder of the source has the object")
    left_out(folder)


def configured(name, made, *words, env=None):
    """What CMake prints if it fails."""
    plain = {name: value for name, value in os.environ.items() if name not in ("CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS")}
    done = subprocess.run(["cmake", "-S", PROJECTS / name, "-B", made, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                          env={**plain, **(env or {})}, check=False)
    return re.sub(r"\s+", " ", done.stdout) if done.returncode else None


def project(name, made, *words, env=None):
    problem = configured(name, made, *words, env=env)
    require(problem is None, name, words, problem)
    must("cmake", "--build", made)
    return made / name


def projects(folder):
    needs_clang(folder)
    shown = {("words", "XRAY"): "count_word", ("words", "CACHERAY"): "variable counted", ("prices", "XRAY"): "total_of",
             ("prices", "CACHERAY"): "calloc in main"}
    for (name, kind), word in shown.items():
        env = {"CXX": "clang++"} if name == "words" else {"CC": "clang"}
        program = project(name, folder / f"{name}-{kind}", FOUND, f"-DRECORD={kind}", env=env)
        ask("record", "-o", f"{name}-{kind}.trace", program, folder=folder)
        out, _ = ask("functions" if kind == "XRAY" else "types", folder / f"{name}-{kind}.trace", "csv")
        require(word in out, name, kind, out)
    out, _ = ask("types", folder / "prices-CACHERAY.trace", "columns:reads,type", "csv")
    require("20,calloc in main" in out, "accesses of the library are missing:", out)
    ask("record", project("words", folder / "without", FOUND), folder=folder, code=1)
    plainly_linked(folder)
    refusals = [("words", "XRAY", {"CXX": "g++"}, "XRAY needs clang"), ("words", "nothing", {}, "there is no recorder nothing")]
    version = subprocess.run(["clang", "-dumpversion"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    if int(version.split(".")[0]) < 20:
        refusals.append(("prices", "XRAY", {"CC": "clang", "CFLAGS": ""}, "price is a shared library"))
    for number, (name, kind, env, reason) in enumerate(refusals):
        problem = configured(name, folder / str(number), FOUND, f"-DRECORD={kind}", "-DBUILD_SHARED_LIBS=ON", env=env)
        require(problem and reason in problem, name, kind, problem)


def plainly_linked(folder):
    """A project in C++ alone, of which no compiler of C is asked for; words in lower case; nothing changes where nothing is recorded."""
    for compiler, kind in ("clang++", "xray"), ("clang++", "cacheray"), ("g++", "cacheray"), ("g++", None):
        made = folder / f"counter-{compiler}-{kind}"
        program = project("counter", made, FOUND, *([f"-DRECORD={kind}"] if kind else []), env={"CXX": compiler, "CC": "/nothing"})
        require("CMAKE_C_COMPILER" not in (made / "CMakeCache.txt").read_text(), "a compiler of C was asked for")
        _, error = ask("record", program, folder=made, code=0 if kind else 1)
        require(kind is None or re.search(r"(LLVM XRay|Cacheray) .* of [23] threads", error), compiler, kind, error)
    project("counter", folder / "colleague", "-DCMAKE_DISABLE_FIND_PACKAGE_Wiretrace=ON", env={"CXX": "g++"})


# --- completion ---------------------------------------------------------------------------------------------------------------
def completed(folder, script, *words):
    """What bash would offer for the last of these words."""
    text = f". '{script}'\nCOMP_WORDS=(wiretrace {' '.join(map(repr, words))})\nCOMP_CWORD={len(words)}\ncompopt() {{ :; }}\n_wiretrace\n" \
        "printf '%s\\n' \"${COMPREPLY[@]}\""
    done = subprocess.run(["bash", "-uc", text], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    require(not done.stderr, done.stderr)
    return done.stdout.split("\n")[:-1]


def completion(folder):
    names = list(dict.fromkeys(line.split("\t")[0] for line in ask("--list")[0].splitlines()))
    script = folder / "script"
    script.write_text(ask("--completion", "bash")[0])
    (folder / "traces").mkdir()
    (folder / "traces" / "one two.trace").touch()
    for words, want in ((["fu"], ["functions"]), (["--v"], ["--version"]), (["tr"], ["tree", "traces"]), (["lines", "traces/o"], ["traces/one two.trace"]),
                        (["lines", "x", "cs"], ["csv"]), (["diff", "x", "tr"], ["traces"]), (["diff", "x", "y", "js"], ["json"]),
                        (["flags", "c"], ["cacheray"]), (["flags", "xray", "cm"], ["cmake"]),
                        (["flags", "xray", "cmake", "sc"], ["script"])):
        got = completed(folder, script, *words)
        require(got == want, words, "completes to", got)
    require(completed(folder, script, "")[:len(names)] == names, completed(folder, script, ""))
    zsh = folder / "_wiretrace"
    zsh.write_text(ask("--completion", "zsh")[0])
    require(all(f"    '{name}:" in zsh.read_text() for name in names), zsh.read_text())
    if shutil.which("zsh"):
        must("zsh", "-n", zsh)


# --- windows --------------------------------------------------------------------------------------------------------------------
def program(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(0o755)


def on_terminal(*command, env):
    """What a command prints on a terminal, which has 70 columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE, env={**os.environ, **env}) as process:
        os.close(theirs)
        printed = b""
        with contextlib.suppress(OSError):  # at its end
            while more := os.read(ours, 10000):
                printed += more
        error = process.communicate(timeout=check.RUN_SECONDS)[1]
    os.close(ours)
    return process.returncode, printed.decode().strip(), error.decode()


def opened(folder):
    program(folder / "bin" / "browser", f'cp "$1" "{folder}/seen.html"')
    program(folder / "bin" / "wireshark", 'printf "%s\\n" "$@"')
    env = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "BROWSER": "browser", "TMPDIR": str(folder)}
    status, page, error = on_terminal(COMMAND, "flame", LOG, env=env)
    require(status == 0 and re.fullmatch(rf"{folder}/wiretrace-\w+\.html", page), status, page, error)
    compare("page", ask("flame", LOG)[0], (folder / "seen.html").read_text(encoding="utf-8"))
    program(folder / "bin" / "xdg-open", "exit 3")
    program(folder / "bin" / "x-www-browser", "exit 3")
    status, page, error = on_terminal(COMMAND, "flame", LOG, env={**env, "BROWSER": "nothing"})
    require(status == 1 and f"open this page: {page}" in error and Path(page).stat().st_size, status, page, error)
    status, printed, error = on_terminal(COMMAND, LOG, env={})
    rows = [line for line in printed.splitlines() if not re.match(rf"\$ |{LOG}|LLVM| *note|.*\(.*wiretrace", line)]
    require(status == 0 and len(rows) > 15 and max(map(len, rows)) <= 70 and printed.count("Calls without an exit") == 1, status, printed, error)
    out, _ = ask("open", LOG, "-Y", "xray.argument", env=env)
    require(out.splitlines()[-3:] == ["-Y", "xray.argument", str(LOG)] and "-C\nXRay\n" in out, out)


# --- installed ------------------------------------------------------------------------------------------------------------------
def install(folder):
    prefix = folder / "prefix"
    must("cmake", "--install", os.environ["WIRETRACE_BUILD"], "--component", "package", "--prefix", prefix)
    share = prefix / "share"
    for name in "man/man1/wiretrace.1.gz", "bash-completion/completions/wiretrace", "wiretrace/xray.c", "wiretrace/cmake/WiretraceConfigVersion.cmake":
        require((share / name).exists(), "not installed:", name)
    require(list(share.glob("zsh/*/_wiretrace")), "no completion of zsh")
    subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
    return prefix / "bin" / "wiretrace"


def as_user(folder, command):
    """The command of somebody who is not root, with a home."""
    home = folder / "home"
    home.mkdir()
    os.chown(home, 64001, 64001)
    shutil.copy(LOG, folder / "xray-log.search.1")
    done = subprocess.run(["setpriv", "--reuid=64001", "--regid=64001", "--clear-groups", "env", "-u", "LD_PRELOAD", "-u", "WIRESHARK_CONFIG_DIR",
                           f"HOME={home}", f"WIRESHARK_PLUGIN_DIR={command.parent.parent}/plugins", command, "xray-log.search.1"], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    require(done.returncode == 0 and "20,730 records of 3 threads" in done.stdout, done.stdout, done.stderr)


def installed(folder):
    folder.chmod(0o755)
    command = install(folder)
    plugins = next((folder / "prefix" / "lib").rglob("wiretrace.so")).parent.parent.parent
    (folder / "prefix" / "plugins").symlink_to(plugins)
    env = {**check.environment(()), "WIRESHARK_PLUGIN_DIR": str(plugins)}
    out, _ = ask(LOG, command=command, env=env)
    require(f"$ tshark -q -r {LOG} -z xray,account\n" in out and f"({command} functions {LOG})" in out, out)
    # what is read of Wireshark's own programs: capinfos, and -z expert
    require(f"{LOG}\nLLVM XRay " in out and "20,730 records of 3 threads" in out and "\n  note: the call that record 6813 enters has no exit" in out, out)
    out, _ = ask(LOG, command="wiretrace", env={**env, "PATH": f"{command.parent}:{os.environ['PATH']}"})
    require(f"(wiretrace functions {LOG})" in out, out)
    trace = CAPTURES / "ovni" / "v3-hwc"
    compare("lint", ask("lint", trace)[0], ask("lint", trace, command=command, env=env)[0])
    require(ask("--version", command=command)[0] == ask("--version")[0], "another version")
    program(folder / "bin" / "wireshark", 'printf "%s\\n" "$@"')
    (folder / "settings" / "profiles" / "XRay").mkdir(parents=True)
    own = {**env, "PATH": f"{folder}/bin:{os.environ['PATH']}", "WIRESHARK_CONFIG_DIR": str(folder / "settings")}
    compare("arguments of Wireshark", f"-C\nXRay\n{LOG}\n", ask("open", LOG, command=command, env=own)[0])
    # what tshark says to root each time
    said = 'Running as user "root" and group "root". This could be dangerous.'
    program(folder / "root" / "tshark", f"echo '{said}' >&2\nexec {shutil.which('tshark')} \"$@\"")
    out, error = ask("functions", LOG, "csv", command=command, env={**env, "PATH": f"{folder}/root:{os.environ['PATH']}"})
    require("search::run" in out and said not in error, error)
    (folder / "nothing").mkdir()
    _, error = ask("functions", LOG, command=command, env={**env, "WIRESHARK_PLUGIN_DIR": str(folder / "nothing")}, code=1)
    require("does not load Wiretrace's plugins: wiretrace doctor" in error, error)
    (folder / "few").mkdir()
    for name in TOOLS:
        (folder / "few" / name).symlink_to(shutil.which(name))
    _, error = ask("functions", LOG, command=command, env={"PATH": str(folder / "few")}, code=127)
    require("there is no tshark" in error, error)
    if os.geteuid() == 0 and shutil.which("setpriv"):
        as_user(folder, command)
    found_by_cmake(folder, command)


def found_by_cmake(folder, command):
    needs_clang(folder)
    source = folder / "prefix" / "share" / "wiretrace" / "cacheray.c"
    require(ask("flags", "cacheray", "link", command=command)[0] == f"-fno-sanitize=thread -no-pie -rdynamic -O2 -Wno-unused-command-line-argument -x c {source} -x none\n", "other flags")
    project("words", folder / "words", f"-DCMAKE_PREFIX_PATH={folder}/prefix", "-DRECORD=CACHERAY", env={"CXX": "clang++"})
    cache = (folder / "words" / "CMakeCache.txt").read_text()
    require(f"Wiretrace_DIR:PATH={folder}/prefix/share/wiretrace/cmake" in cache, cache)


CHECKS = {f.__name__: f for f in (folders, record, flags, projects, completion, opened, installed)}


def main():
    args = check.arguments(__doc__, checks={"nargs": "+", "choices": list(CHECKS)})

    def one(name):
        with tempfile.TemporaryDirectory() as folder:
            CHECKS[name](Path(folder).resolve())
    check.for_each(one, args.checks)


if __name__ == "__main__":
    main()
