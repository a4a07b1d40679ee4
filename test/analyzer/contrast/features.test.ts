import { describe, expect, it } from "vitest";
import { isCited } from "../../../analyzer/detectors/citation.ts";
import { programsIn } from "../../../analyzer/contrast/commands.ts";
import { ownFeatures } from "../../../analyzer/contrast/features/features.ts";
import { makeRow } from "../../../analyzer/contrast/make-row.ts";
import { makeRun, type MadeCall, type MadeRun, type MadeTurn } from "../make-run.ts";

const sh = (args: string, more: Partial<MadeCall> = {}): MadeTurn => ({ calls: [{ args, ...more }] });
const edit = (...edited: string[]): MadeTurn => sh("python3 mend.py --in-place everything", { edited });
const failed: Partial<MadeCall> = { status: "error", error: "exit_code", output: "bash: line 1: no such file or directory" };
const look = sh("cat notes.txt");
const json = '```json\n{"tool": "sed", "args": {"file": "a.py"}}\n```';
const bash = "```bash\nsed -i s/a/b/ a.py\n```";
const long = "First I would like to say what I am going to do, and why, in many words. ".repeat(4);

/** Turns that show each feature, and turns close to them that do not. */
const cases: Readonly<Record<string, readonly [shows: readonly MadeTurn[], not: readonly MadeTurn[]]>> = {
  "first-reply-json-call": [[{ text: json }], [{ text: '```json\n{"users": [1, 2, 3]}\n```' }]],
  "first-reply-code-block": [[{ text: bash }], [{ text: json }]],
  "first-reply-prose-only": [[{ text: "I cannot see anything to do here." }], [{ text: bash }]],
  "first-reply-explains": [[{ text: `${long}\n${bash}` }], [{ text: bash.repeat(20) }]],
  "first-reply-several": [[{ text: `${bash}\n\n${bash}` }], [{ text: bash }, { text: `${bash}\n\n${bash}` }]],
  "first-call-refused": [
    [{ calls: [{ tool: "sed", args: {}, status: "error", error: "unknown_tool", output: 'There is no tool "sed".' }] }],
    [sh("ls missing", failed)],
  ],
  "first-call-fails": [[sh("ls missing", failed)], [look, sh("ls missing", failed)]],
  "first-call-other-tool": [[{ calls: [{ tool: "read", args: { path: "a.txt" } }] }], [look]],
  "first-call-edits": [[edit("a.py")], [look, edit("a.py")]],
  "first-call-looks": [[look], [sh("cat notes.txt > copy.txt", { edited: ["copy.txt"] })]],
  "first-call-script": [[sh("make && ./run")], [sh("cat <<'END' > note.txt\nmake\nrun\nEND")]],
  looked: [
    [edit("a.py"), sh("git -C . log -3")],
    [edit("a.py"), sh("git commit -m done")],
  ],
  "edited-unseen": [
    [edit("a.py"), look],
    [look, edit("a.py")],
  ],
  edited: [[look, edit("a.py")], [look]],
  "edited-again": [
    [edit("a.py"), look, edit("b.py", "a.py")],
    [edit("a.py"), edit("b.py")],
  ],
  "edited-several": [
    [edit("a.py"), edit("b.py", "c.py")],
    [edit("a.py"), edit("b.py", "a.py")],
  ],
  checked: [[sh("pytest -q", { check: { command: "pytest -q", passed: true } })], [sh("echo pytest -q")]],
  "looked-at-change": [
    [edit("a.py"), sh("git diff")],
    [look, edit("a.py")],
  ],
  "failed-call": [[look, sh("ls missing", failed)], [look]],
  "failed-calls-in-a-row": [
    [sh("ls missing", failed), sh("ls gone", failed)],
    [sh("ls missing", failed), look, sh("ls gone", failed)],
  ],
  "refused-call": [[sh("rm -r build", { status: "denied", output: "This was refused by a rule." })], [sh("rm -r build", failed)]],
  "same-call-again": [
    [look, look],
    [look, sh("ls"), look],
  ],
  "output-cut": [[sh("cat big.txt", { output: "a\n[… 4000 characters left out …]\nb" })], [sh("cat big.txt", { output: "all of it" })]],
  "read-tests": [[sh("cat tests/test_app.py")], [sh("cat app/latest.py")]],
  "edited-by-sed": [[sh("sed -i s/a/b/ a.py")], [sh("sed -n 1,5p a.py")]],
  "wrote-here-document": [[sh("cat > a.py <<'EOF'\nprint(1)\nEOF")], [sh("cat a.py > b.py")]],
  "used-git": [[sh("cd app && git status")], [sh("echo git")]],
  installed: [[sh("pip install flask")], [sh("pip list")]],
  "reply-cut": [[{ text: "And so on, and so on, and", stop: "length" }], [{ text: "And so on, and so on, and" }]],
};

const made = (turns: readonly MadeTurn[], more: Partial<MadeRun> = {}): MadeRun => ({
  tools: ["bash", "read"],
  passed: false,
  turns: [...turns, { text: "Everything that was asked for is done." }],
  ...more,
});

describe("a feature of the contrast", () => {
  it.each(Object.entries(cases))("%s is seen where it is, with a quote that holds, and not where it is not", async (name, [shows, not]) => {
    const feature = ownFeatures.find((one) => one.name === name);
    const run = await makeRun(made(shows));
    const place = feature?.find(run);
    expect(place && isCited(run, place)).toBe(true);
    expect(feature?.find(await makeRun(made(not)))).toBeUndefined();
  });

  it("has a case here, as all others do", () => {
    expect(ownFeatures.map(({ name }) => name)).toEqual(Object.keys(cases));
  });
});

describe("what the contrast keeps of a run", () => {
  it("is where it first shows each feature, its files and programs by turn, and its calls", async () => {
    const row = makeRow(await makeRun(made([sh("ls; grep -r x ."), edit("a.py"), edit("a.py", "b.py")], { task: "t", family: "f" })));
    expect(row).toMatchObject({ task: "t", family: "f", passed: false, turns: 4, effectsKnown: true });
    expect(row?.files).toEqual([
      ["a.py", 2],
      ["b.py", 3],
    ]);
    expect(row?.programs).toEqual([
      ["ls", 1],
      ["grep", 1],
      ["python3", 2],
    ]);
    expect(row?.seen["edited"]).toMatchObject({ turn: 2, step: 2 });
    expect(row?.calls.map(({ says }) => says)).toEqual([
      "bash ls; grep -r x .",
      "bash python3 mend.py --in-place everything",
      "bash python3 mend.py --in-place everything",
    ]);
  });

  it("is no quote of a run that passed: only failures are explained", async () => {
    const row = makeRow(await makeRun(made([look], { passed: true })));
    expect(row?.seen["looked"]?.quote).toBe("");
    expect(row?.calls[0]?.quote).toBe("");
  });

  it("says nothing of effects that an import cannot know, and is nothing for a run without a verdict", async () => {
    const imported = makeRow(await makeRun(made([edit("a.py"), look], { imported: "steps" })));
    expect(imported?.effectsKnown).toBe(false);
    expect(Object.keys(imported?.seen ?? {})).toEqual(["looked"]);
    const { passed: _, ...unjudged } = made([look]);
    expect(makeRow(await makeRun(unjudged))).toBeUndefined();
  });
});

describe("the programs of a command", () => {
  it.each([
    ["cd app && FOO=1 make -j2 | tail -3", ["make", "tail"]],
    ["sudo /usr/bin/apt-get install -y jq; jq . a.json", ["apt-get", "jq"]],
    ["cat > a.sh <<'EOF'\nrm -rf x\nEOF\nsh a.sh", ["cat", "sh"]],
    ['{"tool": "sed"}', []],
    ["", []],
  ])("%j are %j", (command, programs) => {
    expect(programsIn(command)).toEqual(programs);
  });
});
