import { actsOf } from "../acts/acts-of.ts";
import { atCall, atOutput } from "../acts/cite.ts";
import { ends } from "../acts/outputs.ts";
import { baseName, filesIn } from "../acts/paths.ts";
import type { AnalyzedRun } from "../../runs/analyzed-run.ts";
import type { Candidate, Detector } from "../detector.ts";

const least = 3;
const notThere = /No such file or directory|does not exist|File not found|ENOENT|not a directory/i;

export const wrongPlace: Detector = {
  name: "wrong-place",
  kind: "wrong-place",
  looksAt:
    "A file that the task names with its folder, written into another folder only; and calls that fail again and again because a path is not there.",
  provedWrongBy: "The file was moved to its place by a program, or the paths that failed were guesses that a later call made good.",
  lever: "local-context-onboarding",
  confidence: "medium",
  detect: (run) => (run.passed === true ? [] : [...elsewhere(run), ...pathsThatFail(run)].slice(0, 1)),
};

function elsewhere(run: AnalyzedRun): Candidate[] {
  const acts = actsOf(run);
  const absolute = filesIn(run.instruction).filter((path) => path.startsWith("/") && path.split("/").length >= 3);
  const said = acts.map(({ step }) => step.command).join("\n");
  for (const path of absolute) {
    const name = baseName(path);
    const folder = path.slice(0, path.lastIndexOf("/"));
    const writes = acts.filter(({ wrote, failed }) => failed !== true && wrote.some((one) => baseName(one) === name));
    const other = writes.find(({ wrote }) => wrote.some((one) => baseName(one) === name && one.startsWith("/") && one !== path));
    if (!other || said.includes(path) || writes.some(({ wrote }) => wrote.some((one) => !one.startsWith("/") && baseName(one) === name)))
      continue;
    if (said.includes(folder)) continue;
    return [
      {
        ...atCall(other, name),
        why: `The task names ${path}; it writes ${other.wrote.find((one) => baseName(one) === name) ?? name}.`,
        mechanism: "file in another folder",
        confidence: "high",
      },
    ];
  }
  return [];
}

function pathsThatFail(run: AnalyzedRun): Candidate[] {
  const acts = actsOf(run);
  const failed = acts.filter((act) => act.failed === true && notThere.test(ends(act.output)));
  const first = failed[0];
  const last = failed.at(-1);
  if (!first || !last || failed.length < least) return [];
  const recovered = acts.slice(last.index + 1).some((act) => act.failed === false);
  const mostly = failed.length >= acts.length / 2;
  if (recovered && !mostly) return [];
  return [
    {
      ...atOutput(first),
      why: `${failed.length} of its ${acts.length} calls name a path that is not there.`,
      mechanism: "paths that are not there",
      confidence: recovered ? "low" : "medium",
    },
  ];
}
