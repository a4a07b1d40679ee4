import { sha256 } from "../../harness/hash/sha256.ts";
import type { Act } from "../detectors/acts/act.ts";
import { actsOf } from "../detectors/acts/acts-of.ts";
import { citeCall, isCited } from "../detectors/citation.ts";
import type { AnalyzedRun, RunStep } from "../runs/analyzed-run.ts";
import { shellPrograms } from "./commands.ts";
import type { ContrastRow } from "./contrast-row.ts";
import { placeOfReply } from "./feature.ts";
import { ownFeatures } from "./features/features.ts";

const mostNames = 30;
const mostCalls = 12;
const quoteChars = 100;
const saidChars = 60;

/** Undefined for a run that cannot be contrasted: without a verdict, without a reply, or lost to the machine and not to the agent. */
export function makeRow(run: AnalyzedRun): ContrastRow | undefined {
  const { passed, task } = run;
  const counts = run.class === undefined || run.class === "passed" || run.class === "agent";
  const [first] = run.replies;
  if (passed === undefined || !counts || !first) return undefined;
  const seen: ContrastRow["seen"] = {};
  for (const { name, needsEffects, find } of ownFeatures) {
    if (needsEffects && run.imported !== undefined) continue;
    const place = find(run);
    if (place) seen[name] = { ...place, quote: passed ? "" : citable(run, place.seq, place.quote) };
  }
  const acts = actsOf(run);
  const { turn: _, ...opening } = placeOfReply(first);
  const calls = run.steps.slice(0, mostCalls).map((step) => {
    const { seq, quote } = citeCall(step);
    return { says: callText(step), turn: step.turn, step: step.step, seq, quote: passed ? "" : citable(run, seq, quote) };
  });
  const row: ContrastRow = {
    run: run.name,
    task,
    family: run.family ?? task,
    configuration: run.configuration,
    hash: run.setup.hash,
    model: run.model,
    passed,
    turns: run.replies.length,
    effectsKnown: run.imported === undefined,
    seen,
    files: firstTurns(acts, ({ wrote }) => wrote),
    programs: firstTurns(acts, shellPrograms),
    opening: { ...opening, quote: passed ? "" : citable(run, opening.seq, opening.quote) },
    calls,
  };
  return JSON.parse(JSON.stringify(row)) as ContrastRow; // a quote that was cut out of a text would keep all of the text in memory
}

/** A shorter quote where it holds; empty where none does: then nothing is said of this place. */
function citable(run: AnalyzedRun, seq: number, quote: string): string {
  const short = quote.slice(0, quoteChars);
  return [short, quote].find((one) => isCited(run, { seq, quote: one })) ?? "";
}

/** The same for the same call; long ones with a hash of what is left out. */
function callText({ tool, command }: RunStep): string {
  const said = `${tool} ${command}`.trim();
  return said.length <= saidChars + 10 ? said : `${said.slice(0, saidChars)}… ${sha256(said).slice(0, 8)}`;
}

function firstTurns(acts: readonly Act[], namesOf: (act: Act) => readonly string[]): [string, number][] {
  const found = new Map<string, number>();
  for (const act of acts) for (const name of namesOf(act)) if (found.size < mostNames && !found.has(name)) found.set(name, act.step.turn);
  return [...found];
}
