import type { Act } from "../../detectors/acts/act.ts";
import { actsOf } from "../../detectors/acts/acts-of.ts";
import { cutAway } from "../../detectors/acts/outputs.ts";
import { editsFiles, fails, looksAtFiles, shellPrograms } from "../commands.ts";
import { type OwnFeature, placeOfOutput, placeOfReply, placeOfCall, type Place } from "../feature.ts";

type Described = Omit<OwnFeature, "scope" | "find">;
/** The first call of which a condition holds, told the calls before it. */
type Condition = (call: Act, before: readonly Act[]) => boolean;

const feature = (described: Described, holds: Condition, place: (act: Act) => Place = placeOfCall): OwnFeature => ({
  ...described,
  scope: "reached turns",
  find(run) {
    const acts = actsOf(run);
    const found = acts.find((act, i) => holds(act, acts.slice(0, i)));
    return found && place(found);
  },
});
const effects = { needsEffects: true } as const;
const words = { needsEffects: false } as const;

const several = 3;
/** The line of Forge's own tools. */
const leftOut = /\[… \d+ characters left out …\]/;
const testPath = /(?:^|[/\s_.-])tests?(?:[/\s_.-]|$)/i;
const installers = ["pip", "pip3", "npm", "apt", "apt-get", "apk", "cargo", "gem"];
const usesOneOf = (call: Act, programs: readonly string[]): boolean => shellPrograms(call).some((name) => programs.includes(name));

/** What runs did in the turns that they reached alike. */
export const reachedTurns: readonly OwnFeature[] = [
  feature(
    {
      ...words,
      name: "looked",
      shown: { says: "It looks at files.", explains: { kind: "over-thinking", lever: "prompt-section" } },
      lacking: { says: "It never looks at a file.", explains: { kind: "wrong-cause", lever: "local-context-onboarding" } },
    },
    looksAtFiles,
  ),
  feature(
    {
      ...effects,
      name: "edited-unseen",
      shown: {
        says: "It changes files before it has looked at any.",
        explains: { kind: "wrong-cause", lever: "local-context-onboarding" },
      },
      lacking: { says: "It does not change files before it has looked at any." },
    },
    (call, before) => editsFiles(call) && !before.some(looksAtFiles),
  ),
  feature(
    {
      ...effects,
      name: "edited",
      shown: { says: "It changes files early.", explains: { kind: "wrong-cause", lever: "local-context-onboarding" } },
      lacking: { says: "It has changed no file by then.", explains: { kind: "over-thinking", lever: "time-or-turn-budget-awareness" } },
    },
    editsFiles,
  ),
  feature(
    {
      ...effects,
      name: "edited-again",
      shown: { says: "It changes a file again that it changed before.", explains: { kind: "edit-thrash", lever: "loop-detection" } },
      lacking: {
        says: "It never goes back to a file that it changed.",
        explains: { kind: "partial-fix", lever: "rubric-verifier-second-look" },
      },
    },
    (call, before) => call.wrote.some((path) => before.some(({ wrote }) => wrote.includes(path))),
  ),
  feature(
    {
      ...effects,
      name: "edited-several",
      shown: { says: `It changes ${several} files or more.`, explains: { kind: "wrong-place", lever: "prompt-section" } },
      lacking: { says: `It changes fewer than ${several} files.`, explains: { kind: "partial-fix", lever: "rubric-verifier-second-look" } },
    },
    (call, before) => editsFiles(call) && new Set([...before, call].flatMap(({ wrote }) => wrote)).size >= several,
  ),
  feature(
    {
      ...effects,
      name: "checked",
      shown: { says: "It runs a test, build or type check." },
      lacking: {
        says: "It runs no test, build or type check.",
        explains: { kind: "no-check", lever: "run-visible-tests-before-finishing" },
      },
    },
    ({ check }) => check !== undefined,
  ),
  feature(
    {
      ...words,
      name: "looked-at-change",
      shown: { says: "It looks at what it changed." },
      lacking: { says: "It does not look at what it changed.", explains: { kind: "no-check", lever: "pre-completion-checklist" } },
      needsEffects: true,
    },
    (call, before) => looksAtFiles(call) && before.some(editsFiles),
  ),
  feature(
    {
      ...effects,
      name: "failed-call",
      shown: { says: "A call fails.", explains: { kind: "repeated-call", lever: "loop-detection" } },
      lacking: { says: "No call fails." },
    },
    fails,
    (call) => placeOfOutput(call, call.step.error ?? "failed"),
  ),
  feature(
    {
      ...effects,
      name: "failed-calls-in-a-row",
      shown: { says: "Two calls fail in a row.", explains: { kind: "repeated-call", lever: "loop-detection" } },
      lacking: { says: "No two calls fail in a row." },
    },
    (call, before) => fails(call) && before.length > 0 && fails(before.at(-1) ?? call),
    placeOfOutput,
  ),
  feature(
    {
      ...effects,
      name: "refused-call",
      shown: { says: "A middleware refuses a call.", explains: { kind: "repeated-call", lever: "loop-detection" } },
      lacking: { says: "No middleware refuses a call." },
    },
    ({ step }) => step.status === "denied",
    placeOfOutput,
  ),
  feature(
    {
      ...words,
      name: "same-call-again",
      shown: { says: "It makes the same call twice in a row.", explains: { kind: "repeated-call", lever: "loop-detection" } },
      lacking: { says: "It never makes the same call twice in a row." },
    },
    (call, before) => before.at(-1)?.step.tool === call.step.tool && before.at(-1)?.step.command === call.step.command,
  ),
  feature(
    {
      ...words,
      name: "output-cut",
      shown: { says: "An output is cut.", explains: { kind: "output-not-read-on", lever: "output-budget" } },
      lacking: { says: "No output is cut." },
    },
    ({ step }) => leftOut.test(step.observation.slice(0, 200_000)) || cutAway(step.observation),
    placeOfOutput,
  ),
  feature(
    {
      ...words,
      name: "read-tests",
      shown: { says: "It looks at the tests that are there." },
      lacking: {
        says: "It does not look at the tests that are there.",
        explains: { kind: "requirement-inferred", lever: "local-context-onboarding" },
      },
    },
    (call) => looksAtFiles(call) && testPath.test(call.step.command.slice(0, 500)),
  ),
  feature(
    {
      ...words,
      name: "edited-by-sed",
      shown: { says: "It edits through sed.", explains: { kind: "wrong-algorithm", lever: "other-tool" } },
      lacking: { says: "It does not edit through sed." },
    },
    ({ command }) => /\bsed\s+(?:-\S+\s+)*-\S*i/.test(command.slice(0, 2000)),
  ),
  feature(
    {
      ...words,
      name: "wrote-here-document",
      shown: { says: "It writes a file through a here-document.", explains: { kind: "wrong-algorithm", lever: "other-tool" } },
      lacking: { says: "It writes no file through a here-document." },
    },
    ({ command }) => /<<-?\s*['"\\]?\w+/.test(command.slice(0, 2000)) && command.includes(">"),
  ),
  feature(
    {
      ...words,
      name: "used-git",
      shown: { says: "It asks git." },
      lacking: { says: "It never asks git.", explains: { kind: "wrong-cause", lever: "local-context-onboarding" } },
    },
    (call) => usesOneOf(call, ["git"]),
  ),
  feature(
    {
      ...words,
      name: "installed",
      shown: { says: "It installs programs or packages.", explains: { kind: "missing-dependency", lever: "local-context-onboarding" } },
      lacking: { says: "It installs nothing.", explains: { kind: "missing-dependency", lever: "local-context-onboarding" } },
    },
    (call) => usesOneOf(call, installers) && /\b(?:install|add)\b/.test(call.command.slice(0, 2000)),
  ),
  {
    name: "reply-cut",
    scope: "reached turns",
    needsEffects: false,
    shown: { says: "A reply is cut at its length.", explains: { kind: "reply-cut", lever: "longer-limit" } },
    lacking: { says: "No reply is cut at its length." },
    find({ replies }) {
      const reply = replies.find(({ stop }) => stop === "length");
      return reply && placeOfReply(reply);
    },
  },
];
