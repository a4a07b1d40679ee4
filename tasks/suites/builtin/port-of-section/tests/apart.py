"""Runs the work apart: from a copy, and as nobody where the verifier may change users, who can neither write the reward nor read the tests."""
import atexit
import os
import shutil
import subprocess
import tempfile

_nobody = 65534


def _who():
    """Not for a plain user, not for a root that is one only in its own namespace, as in bubblewrap, and not in the sandbox `local`, which names
    its places and is a folder that nobody else may enter."""
    if "FORGE_TESTS" in os.environ:
        return {}
    who = {"user": _nobody, "group": _nobody, "extra_groups": []}
    try:
        subprocess.run(["true"], check=True, **who)
    except (OSError, subprocess.SubprocessError):
        return {}
    for place in ("/tests", "/logs"):
        os.chmod(place, 0o700)
    return who


_as = _who()


def _share(paths):
    """Temporary files and folders that a call names, or that hold what it names, belong to whom the call runs as."""
    top = os.path.realpath(tempfile.gettempdir()) + os.sep
    for named in paths if _as else ():
        place = os.path.realpath(named) if isinstance(named, str) else ""
        if not place.startswith(top) or not os.path.exists(place):
            continue
        path = top + place[len(top) :].split(os.sep)[0]
        os.chown(path, _nobody, _nobody)
        for parent, folders, names in os.walk(path):
            for name in [*folders, *names]:
                os.chown(os.path.join(parent, name), _nobody, _nobody, follow_symlinks=False)


def _more(words, more):
    _share([more.get("cwd"), *words])
    home = {"HOME": "/nonexistent"} if _as else {}
    return {**more, "env": {**(more.get("env") or os.environ), **home}, **_as}


def run(words, **more):
    return subprocess.run(words, **_more(words, more))


def start(words, **more):
    return subprocess.Popen(words, **_more(words, more))


def work():
    """A copy of the working directory."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chmod(folder, 0o755)
    copy = os.path.join(folder, "work")
    shutil.copytree(os.environ.get("FORGE_WORKDIR", "/app"), copy, symlinks=True)
    return copy
