import { verifierFiles } from "../generated/render-task.ts";

/** What a verifier does that runs one command over a copy of the work. */
export interface CommandVerifier {
  /** The check's name, and the words of the instruction that ask for it. */
  readonly check: string;
  readonly asked: string;
  /** For bash, in the copy. It must end with 0. */
  readonly command: string;
  /** What writes JUnit's report to `$FORGE_REPORT` by the command: it must list a test that was run, and none that failed. */
  readonly report?: "pytest" | "node";
  /** Seconds. */
  readonly timeoutSec: number;
  /** Files below `tests/files/` that are put into the copy before. */
  readonly written: readonly string[];
  /** Files that are taken out of the copy before. */
  readonly removed: readonly string[];
  /** A regular expression of Python: paths of files that would be read as tests, and are taken out unless they are among the tests brought. */
  readonly stray?: string;
}

/** Files of `tests/` by relative path, without `files/` and `given/`, which are put into the copy too. The command runs as nobody where users can be changed. */
export function commandVerifier(o: CommandVerifier): Record<string, string> {
  const setting = {
    command: o.command,
    report: o.report ?? null,
    timeout: o.timeoutSec,
    written: o.written,
    removed: o.removed,
    stray: o.stray ?? null,
  };
  return {
    ...verifierFiles({ checks: { [o.check]: o.asked }, verify: verifyOf(o.check) }),
    "command.json": JSON.stringify(setting, null, 2),
  };
}

const verifyOf = (name: string): string => `
import re
import xml.etree.ElementTree

with open(os.path.join(tests, "command.json"), encoding="utf-8") as file:
    setting = json.load(file)


def prepared():
    """A copy of the work with the tests as they should be."""
    folder = copy_of_app()
    for path in setting["removed"]:
        gone(os.path.join(folder, path))
    if setting["stray"]:
        for parent, _, names in os.walk(folder):
            for name in names:
                place = os.path.join(parent, name)
                path = os.path.relpath(place, folder)
                if re.search(setting["stray"], path) and not path.startswith(".git" + os.sep):
                    gone(place)
    pristine(folder)
    for path in setting["written"]:
        place = os.path.join(folder, path)
        inside = os.path.realpath(os.path.dirname(place)) + os.sep
        expect(inside.startswith(folder + os.sep), f"{path} would be outside the working directory")
        gone(place)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copy(os.path.join(tests, "files", path), place, follow_symlinks=False)
    return share(folder)


def gone(place):
    if os.path.islink(place) or os.path.isfile(place):
        os.remove(place)
    elif os.path.isdir(place):
        shutil.rmtree(place)


@check(${JSON.stringify(name)})
def command_ends_well():
    folder = prepared()
    report = os.path.join(scratch(), "report.xml")
    # In a file: with thousands of tests the command is longer than an argument may be.
    code, out, err = run(["bash", write("command.sh", setting["command"])], cwd=folder, timeout=setting["timeout"], env={"FORGE_REPORT": report})
    expect(code == 0, f"the command ended with {code}: {(out + err).strip()[-350:]}")
    if setting["report"]:
        expect(os.path.isfile(report) and os.path.getsize(report) < 50_000_000, "the tests left no report")
        cases = list(xml.etree.ElementTree.parse(report).iter("testcase"))
        failed = [case.get("name") for case in cases if case.find("failure") is not None or case.find("error") is not None]
        expect(not failed, f"tests failed: {failed}")
        # node reports a file by its path when it has ended before it had a test.
        empty = [case.get("name") for case in cases if setting["report"] == "node" and os.path.isfile(os.path.join(folder, case.get("name")))]
        expect(not empty, f"files that ran no test: {empty}")
        expect(any(case.find("skipped") is None for case in cases), "no test was run")
`;
