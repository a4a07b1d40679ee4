import type { AnalyzedRun } from "../../runs/analyzed-run.ts";
import { actsOf } from "../acts/acts-of.ts";
import type { Act } from "../acts/act.ts";
import { atCall, atOutput, finalText } from "../acts/cite.ts";
import { allMissingIn, missingIn } from "../acts/outputs.ts";
import type { Candidate, Detector } from "../detector.ts";

export const missingDependency: Detector = {
  name: "missing-dependency",
  kind: "missing-dependency",
  looksAt:
    "Programs and packages that an output says are not there: whether the run ends with it, or the verifier misses the same package which the agent had installed for itself.",
  provedWrongBy: "The work was done without it, and the verifier does not need it.",
  lever: "local-context-onboarding",
  confidence: "low",
  detect: (run) => [...missedByVerifier(run), ...neverThere(run)].slice(0, 1),
};

/** A report names few; one of many was made to. */
const mostNames = 50;

/** What an agent installs for itself may be missing where its work is judged. */
function missedByVerifier(run: AnalyzedRun): Candidate[] {
  if (run.passed !== false) return [];
  const installs = (name: string): Act | undefined => {
    const install = new RegExp(
      String.raw`\b(?:pip3?|uv|npm|yarn|pnpm|apt(?:-get)?|apk|gem|cargo|conda)\b[^\n]{0,80}\b(?:install|add)\b[^\n]{0,200}\b${escaped(name.split(/[./]/)[0] ?? name)}`,
      "i",
    );
    return actsOf(run).find(({ command }) => install.test(command.slice(0, 10_000)));
  };
  const names = allMissingIn(run.report).slice(0, mostNames);
  const name = names.find((one) => installs(one) !== undefined);
  const act = name === undefined ? undefined : installs(name);
  if (name === undefined || !act) return [];
  return [
    {
      ...atCall(act, name),
      why: `It installs ${name} for itself; where the work is judged it is not there.`,
      mechanism: `not there for the verifier: ${name}`,
      confidence: "high",
    },
  ];
}

function neverThere(run: AnalyzedRun): Candidate[] {
  const acts = actsOf(run);
  const lacking = acts.filter((act) => act.failed === true && missingIn(act.output) !== undefined);
  const last = lacking.at(-1);
  if (!last) return [];
  const name = missingIn(last.output) ?? "";
  const first = lacking.find((act) => missingIn(act.output) === name) ?? last;
  const after = acts.slice(last.index + 1);
  const said = finalText(run).includes(name);
  const workAfter = after.some((act) => act.wrote.length > 0 || act.check?.passed === true);
  if (workAfter || after.length > 2) return [];
  const why = `${name} is not there, and the run ends ${said ? "with that as its reason" : "soon after"}.`;
  return [
    { ...atOutput(first, name), why, mechanism: `not there: ${name}`, confidence: said || after.length === 0 ? confident(last) : "low" },
  ];
}

const confident = ({ exitCode }: Act): "high" | "medium" => (exitCode === 127 ? "high" : "medium");
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
