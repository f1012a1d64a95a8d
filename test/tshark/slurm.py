#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Array jobs of docs/many-traces.md in a Slurm of one node, which is started here: the shares of a trace have all that a single run
prints, and each trace of a list becomes a table.

usage: slurm.py [--build DIR]

Needs root, slurmctld, slurmd and munged (packages slurm-wlm and munge); else skipped (77). Settings, keys, sockets and ports are
its own, so another Slurm on the machine is not touched.
"""
import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check import CAPTURES, TOP, Failure, arguments, entry, require, run  # noqa: E402

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "sinfo"]
CONF = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={place}/munge.socket
SlurmctldPort={ctld}
SlurmdPort={slurmd}
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd.pid
PluginDir={plugins}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus}
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def wait_for(what, condition, log):
    for _ in range(300):
        if condition():
            return
        time.sleep(0.1)
    raise Failure(f"{what}: {log.read_text(errors='replace')[-2000:] if log.exists() else ''}")


@contextlib.contextmanager
def cluster(place):
    """Runs Slurm; os.environ is set for its commands."""
    (place / "key").write_bytes(os.urandom(128))
    (place / "key").chmod(0o600)
    for name in ("state", "spool"):
        (place / name).mkdir()
    host, (ctld, slurmd) = socket.gethostname().split(".")[0], free_ports(2)
    plugins = next(iter(Path("/usr/lib").glob("*/slurm-wlm")), "/usr/lib/slurm")
    conf = place / "slurm.conf"
    conf.write_text(CONF.format(host=host, place=place, ctld=ctld, slurmd=slurmd, plugins=plugins, cpus=os.cpu_count()))
    os.environ["SLURM_CONF"] = str(conf)
    daemons = [
        ["munged", "--force", "--foreground", f"--key-file={place}/key", f"--socket={place}/munge.socket",
         f"--pid-file={place}/munged.pid", f"--log-file={place}/munged.log", f"--seed-file={place}/munged.seed"],
        ["slurmctld", "-D", "-f", conf], ["slurmd", "-D", "-f", conf, "-N", host]]
    running = []
    try:
        for words in daemons:
            with open(place / f"{words[0]}.out", "wb") as out:
                running.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=out))
            if words[0] == "munged":
                wait_for("munged does not start", (place / "munge.socket").exists, place / "munged.out")
        wait_for("the node is not ready", lambda: "idle" in command("sinfo", "-h", "-o", "%T"), place / "slurmd.out")
        yield
    finally:
        for process in reversed(running):
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def command(*words, where=None):
    done = subprocess.run(list(map(str, words)), cwd=where, capture_output=True, encoding="utf-8", timeout=300, check=False)
    return done.stdout if done.returncode == 0 else ""


def submit(where, array, *words):
    """Runs an array job to its end."""
    done = subprocess.run(["sbatch", "--wait", "--mem=0", f"--array={array}", f"--output={where}/log.%a", *map(str, words)],
                          cwd=where, capture_output=True, encoding="utf-8", timeout=300, check=False)
    logs = "".join(log.read_text(errors="replace") for log in where.glob("log.*"))
    require(done.returncode == 0 and "Submitted batch job" in done.stdout, "the job fails:", done.stdout, done.stderr, logs)


def check_shares(where, log):
    words = ["tshark", "-n", "-2", "-r", log, "-Y", "xray.function.id", "-T", "fields", "-e", "xray.offset", "-e", "xray.call.ticks"]
    line = " ".join(f"'{word}'" for word in words)
    submit(where, "1-3", "--wrap", f"WIRETRACE_STREAMS=$SLURM_ARRAY_TASK_ID/3 {line} >share.$SLURM_ARRAY_TASK_ID")
    rows = "".join((where / f"share.{k}").read_text() for k in (1, 2, 3)).splitlines()
    require(rows and sorted(rows) == sorted(run(*words)[1].splitlines()), "the shares do not make the whole")


def check_list(where, logs):
    (where / "names").write_text("".join(f"{log}\n" for log in logs))
    rows = "xray,calls,each,columns:function_id,duration"
    submit(where, f"1-{len(logs)}", TOP / "docs/examples/fan-out", "names", "tables", rows)
    for log in logs:
        table = where / "tables" / (str(log)[1:].replace("/", "_") + ".csv")
        want = run("tshark", "-n", "-q", "-r", log, "-z", f"{rows},csv")[1]
        require(want.count("\n") > 1 and table.read_text() == want, table, "is not the table of the log")


def main():
    arguments(__doc__)
    lacking = [program for program in PROGRAMS if not shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")]
    if lacking or os.geteuid() != 0:
        print("no", lacking[0] if lacking else "root", "here")
        return 77
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    try:
        with tempfile.TemporaryDirectory(dir="/tmp") as scratch, contextlib.ExitStack() as stack:
            place = Path(scratch)
            programs = place / "programs"  # on a cluster tshark has the plugins by itself
            programs.mkdir()
            (programs / "tshark").write_text(f"#!/bin/sh\nPATH='{os.environ['PATH']}' exec '{TOP}/tools/run' tshark \"$@\"\n")
            (programs / "tshark").chmod(0o755)
            (place / "tools").symlink_to(TOP / "tools")
            stack.enter_context(cluster(place))
            os.environ["PATH"] = f"{programs}:{os.environ['PATH']}"
            check_shares(place, CAPTURES / "xray/basic-threads.xray")
            check_list(place, [CAPTURES / f"xray/{name}.xray" for name in ("fdr-left", "fdr-wrap", "fdr-args")])
    except Failure as failure:
        sys.exit(f"slurm: {failure}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
