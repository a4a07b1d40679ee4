import { readFileSync } from "node:fs";
import { join } from "node:path";
import { wilson } from "../../evals/statistics/interval.ts";
import type { KeyLine } from "../../evals/simulated-corpus/corpus-key.ts";
import type { Fault } from "../../harness/models/simulated/faults/fault-kinds.ts";
import { faultsOf } from "./faults-of.ts";

/**
 * Scores the rules on runs of the simulated model with one known fault each: `npx jiti scripts/measures/fault-injection.ts CORPUS…`, folders that
 * `forge sim corpus` wrote. One author of faults and rules: it shows that the machinery works, and nothing of real models.
 */
const detectorsOf: Readonly<Partial<Record<Fault, readonly string[]>>> = {
  "skips-check": ["no-check"],
  "stops-early": ["stops-early"],
  "repeats-failing-call": ["repeated-call", "repeated-error"],
  "edits-one-file-again-and-again": ["edit-thrash"],
  "prints-call": ["unread-call"],
  "assumes-missing-tool": ["missing-dependency"],
  "claims-unwritten-file": ["claimed-not-done"],
  "ignores-failing-check": ["finished-against-failure"],
  "misreads-output": ["misread-output"],
  "bad-arguments": ["malformed-call"],
  "alternates-two-calls": ["alternating-calls"],
  "waits-for-ever": ["waits"],
  "over-thinks": ["over-thinking"],
  "reads-too-much": ["context-filled"],
  "cuts-reply-off": ["reply-cut"],
  "reaches-for-reward": ["reward-reach"],
  "out-of-its-depth": ["looked-only"],
  "refuses-task": ["refusal"],
};

const tally = () => ({ runs: 0, named: 0, step: 0, last: 0, firstError: 0, random: 0 });
const [all, long] = [tally(), tally()];
const byFault = new Map<Fault, { runs: number; named: number; step: number }>();
const levers = new Map<string, number>();
let uncited = 0;

for (const corpus of process.argv.slice(2)) {
  const lines = readFileSync(join(corpus, "key.jsonl"), "utf8").trim().split("\n");
  const key = new Map(lines.map((line) => JSON.parse(line) as KeyLine).map((line) => [line.trace, line])); // as forge sim corpus writes it
  for await (const { run, found } of faultsOf([join(corpus, "job")])) {
    const line = key.get(run.folder.slice(run.folder.indexOf("job/trials/")));
    uncited += found.uncited.length;
    if (!line || line.seq === null || run.passed !== false) continue;
    const at = run.replies.find(({ seq }) => seq === line.seq)?.step;
    if (at === undefined) continue;
    const [first] = found.faults;
    const named = first !== undefined && (detectorsOf[line.fault] ?? []).includes(first.detector);
    const near = (step: number | null | undefined): boolean => typeof step === "number" && Math.abs(step - at) <= 1;
    const steps = run.replies.flatMap((reply) => (reply.steps.length > 0 ? reply.steps.map(({ step }) => step) : [reply.step]));
    for (const sums of run.replies.length >= 10 ? [all, long] : [all]) {
      sums.runs++;
      if (named) sums.named++;
      if (near(first?.step)) sums.step++;
      if (near(steps.at(-1))) sums.last++;
      if (near(run.steps.find(({ status }) => status !== undefined && status !== "ok")?.step)) sums.firstError++;
      sums.random += steps.filter(near).length / steps.length;
    }
    const fault = byFault.get(line.fault) ?? { runs: 0, named: 0, step: 0 };
    byFault.set(line.fault, { runs: fault.runs + 1, named: fault.named + Number(named), step: fault.step + Number(near(first?.step)) });
    if (first) levers.set(first.lever ?? "none", (levers.get(first.lever ?? "none") ?? 0) + 1);
  }
}

const share = (right: number, n: number): string => {
  if (n === 0) return "0 of 0 | | ";
  const { low, high } = wilson(right, n);
  return `${right} of ${n} | ${(right / n).toFixed(2)} | ${low.toFixed(2)}–${high.toFixed(2)}`;
};
const table = (title: string, sums: ReturnType<typeof tally>): string[] => [
  `| ${title} | | share | 95 % |`,
  "| --- | --- | --- | --- |",
  `| fault named first | ${share(sums.named, sums.runs)} |`,
  `| step within ±1 | ${share(sums.step, sums.runs)} |`,
  `| last turn | ${share(sums.last, sums.runs)} |`,
  `| first error | ${share(sums.firstError, sums.runs)} |`,
  `| random turn | ${sums.random.toFixed(1)} of ${sums.runs} | ${(sums.random / Math.max(sums.runs, 1)).toFixed(2)} | |`,
  "",
];
process.stdout.write(
  `${[
    "One author of faults and rules: machinery only.",
    "",
    ...table("all failed runs", all),
    ...table("failed runs of ten turns or more", long),
    "| fault | runs | named first | step within ±1 |",
    "| --- | --- | --- | --- |",
    ...[...byFault]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([fault, { runs, named, step }]) => `| ${fault} | ${runs} | ${named} | ${step} |`),
    "",
    "| lever of rank 1 | runs |",
    "| --- | --- |",
    ...[...levers].toSorted(([, a], [, b]) => b - a).map(([lever, runs]) => `| ${lever} | ${runs} |`),
    "",
    `Citations that do not hold: ${uncited}.`,
  ].join("\n")}\n`,
);
