"""Common part of the verifiers of generated tasks: named checks, all of which must have run and passed.

What the agent wrote is never imported: it runs as a program, in a copy of the working directory, with a time limit. Where the verifier may
change users (in a container), it runs as nobody, so that it can neither read the tests nor touch the reward.
"""
import atexit
import ctypes
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile

_origin = os.environ.get("FORGE_WORKDIR", "/app")
tests = os.environ.get("FORGE_TESTS", "/tests")
rng = random.SystemRandom()
_nobody = 65534
_checks = {}


def _may_change_users():
    """Not for a plain user, and not for a root that is one only in its own namespace, as in bubblewrap."""
    try:
        subprocess.run(["true"], user=_nobody, group=_nobody, extra_groups=[], check=True)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


_guarded = _may_change_users()
if _guarded:
    # The folder of the reward is everybody's until now.
    for place in (tests, os.environ.get("FORGE_LOGS", "/logs")):
        os.chmod(place, 0o700)


def _may_adopt():
    """From here on what a tested program leaves behind is this process's child (PR_SET_CHILD_SUBREAPER of Linux), wherever it has put itself."""
    try:
        return ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0
    except (OSError, AttributeError):
        return False


_adopts = _may_adopt()


def _children():
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except OSError:
                continue
            if parent == os.getpid():
                yield int(name)


def _end_rest():
    """Ends what has left its process group too, and counts its processor time to that of the programs that have ended."""
    for _ in range(50 if _adopts else 0):
        left = list(_children())
        if not left:
            return
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass


def scratch():
    """A new folder that tested programs may read and write; gone at the end."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix="work-"))
    os.chmod(folder, 0o777)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def share(folder):
    """Lets tested programs read and write what the verifier put into a folder."""
    if _guarded:
        for parent, _, names in os.walk(folder):
            for place in [parent, *(os.path.join(parent, name) for name in names)]:
                os.chown(place, _nobody, _nobody, follow_symlinks=False)
    return folder


def copy_of_app():
    """A fresh copy of the working directory, so that what one check does, another does not see."""
    place = os.path.join(scratch(), "app")
    shutil.copytree(_origin, place, symlinks=True, ignore_dangling_symlinks=True)
    return share(place)


app = copy_of_app()


def check(name):
    """Registers a function as the check `name`; it raises when the answer is wrong."""

    def register(function):
        _checks[name] = function
        return function

    return register


def expect(condition, message):
    if not condition:
        raise AssertionError(message)


def same(got, wanted, what):
    """Fails with both values, shortened, unless they are equal."""
    expect(got == wanted, f"{what}: expected {_short(wanted)}, got {_short(got)}")


def read(path, folder=None):
    """The text of a file of the working directory; a missing one, or one that is no plain file, is a failed check."""
    place = os.path.join(folder or app, path)
    expect(os.path.isfile(place) and not os.path.islink(place), f"{path} is missing")
    with open(place, encoding="utf-8", errors="replace") as file:
        return file.read(10_000_000)


def write(path, content, folder=None):
    """Writes a file where tested programs may read it; answers its path."""
    place = os.path.join(folder or scratch(), path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "w", encoding="utf-8", newline="") as file:
        file.write(content)
    os.chmod(place, 0o666)
    return place


def pristine(folder):
    """Puts the tests that the agent was given back into a copy, as they were."""
    given = os.path.join(tests, "given")
    for parent, _, names in os.walk(given):
        target = os.path.join(folder, os.path.relpath(parent, given))
        os.makedirs(target, exist_ok=True)
        for name in names:
            place = os.path.join(target, name)
            if os.path.islink(place) or os.path.isfile(place):
                os.remove(place)
            elif os.path.isdir(place):
                shutil.rmtree(place)
            shutil.copy(os.path.join(parent, name), place)
    return share(folder)


def run(command, cwd=None, stdin="", timeout=20, env=None, trusted=False):
    """Runs a program (a list, no shell) and answers (exit code, stdout, stderr); ends everything it started. A time-out is a failed check.

    `trusted`: it is the verifier's own, and may read the tests.
    """
    other = {"user": _nobody, "group": _nobody, "extra_groups": []} if _guarded and not trusted else {}
    process = subprocess.Popen(
        command,
        cwd=cwd or app,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8", "HOME": scratch(), **(env or {})},
        **other,
    )
    try:
        out, err = process.communicate(stdin.encode(), timeout=timeout)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"{' '.join(command)} ran longer than {timeout} s") from None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        _end_rest()
    return process.returncode, out.decode(errors="replace"), err.decode(errors="replace")


def output(command, **options):
    """Standard output of a program that must end with 0."""
    code, out, err = run(command, **options)
    expect(code == 0, f"{' '.join(command)} ended with {code}: {err.strip()[-300:]}")
    return out


def finish():
    """Runs every check, says on standard error how each came out, and ends with 0 only when all that were announced have passed."""
    with open(os.path.join(tests, "checks.json"), encoding="utf-8") as file:
        announced = json.load(file)
    failed = sorted(set(announced) ^ set(_checks))
    for name in failed:
        print(f"✗ {name}: announced and run differ", file=sys.stderr)
    for name, function in _checks.items():
        try:
            function()
            print(f"✓ {name}", file=sys.stderr)
        except Exception as error:
            failed.append(name)
            print(f"✗ {name}: {type(error).__name__}: {_short(error)}", file=sys.stderr)
    sys.exit(1 if failed else 0)


def _short(value):
    words = str(value) if isinstance(value, Exception) else repr(value)
    return words if len(words) < 400 else words[:200] + " … " + words[-200:]
