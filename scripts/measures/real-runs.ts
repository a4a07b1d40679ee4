import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { wilson } from "../../evals/statistics/interval.ts";
import { objectOf } from "../../analyzer/runs/steps-of.ts";
import { readingSchema, type Reading } from "../../analyzer/analyst/read-failed-runs.ts";
import type { AnalyzedRun } from "../../analyzer/runs/analyzed-run.ts";
import { faultsOf } from "./faults-of.ts";

/**
 * Scores the rules on labelled runs: `npx jiti scripts/measures/real-runs.ts IMPORTED LABELS even|odd`. IMPORTED: what `forge traces import --format steps` wrote;
 * LABELS: index.json, reader-a.json, reader-b.json. A fourth argument, the folder of analyses with a model (`.forge/analyses`), scores its first claim beside the
 * rules, on the runs that it read. Prints tables of figures and nothing of any run.
 */
interface Label {
  readonly id: string;
  readonly kind: string;
  readonly kind2: string | null;
  readonly decisive: number | null;
}
const [imported = "", labels = "", half = "even", analyses] = process.argv.slice(2);
const read = <T>(name: string): T => JSON.parse(readFileSync(join(labels, name), "utf8")) as T; // of the form that its README gives
const index = read<{ id: string; run: string }[]>("index.json").filter(({ id }) => Number(id.slice(1)) % 2 === (half === "odd" ? 1 : 0));
const readers = ["reader-a.json", "reader-b.json"].map((name) => new Map(read<Label[]>(name).map((label) => [label.id, label])));
const ids = new Map(index.map(({ id, run }) => [run, id]));

const rules = new Map<string, { fired: number; right: number }>();
const sums = { runs: 0, kind: 0, majority: 0, unclassified: 0, uncited: 0, steps: 0, step: 0, last: 0, firstError: 0, random: 0 };
const readings = new Map<string, Reading>();
for (const name of analyses === undefined ? [] : readdirSync(analyses)) {
  const file = join(analyses ?? "", name, "analysis.jsonl");
  for (const line of existsSync(file) ? readFileSync(file, "utf8").split("\n") : []) {
    const reading = readingSchema.safeParse(line.startsWith('{"t":"analyst"') ? JSON.parse(line) : undefined).data;
    if (reading) readings.set(reading.run.split("/").at(-1) ?? "", reading);
  }
}
const analyst = { kind: 0, step: 0, silent: 0, kept: 0, dropped: 0, unreadable: 0, input: 0, output: 0, both: 0 };
const nearTo = (decisive: readonly number[], step: number | null | undefined): boolean =>
  typeof step === "number" && decisive.some((one) => Math.abs(one - step) <= 1);

for await (const { run, found } of faultsOf([imported])) {
  const id = ids.get(nameOf(run));
  const reading = readings.get(run.name.split("/").at(-1) ?? "");
  if (id === undefined || (analyses !== undefined && !reading)) continue;
  const own = readers.flatMap((reader) => reader.get(id) ?? []);
  const kinds = own.flatMap(({ kind, kind2 }) => [kind, kind2]);
  const decisive = own.flatMap((label) => (label.decisive === null ? [] : [label.decisive]));
  const [first] = found.faults;
  sums.runs++;
  sums.uncited += found.uncited.length;
  if (!first) sums.unclassified++;
  else if (kinds.includes(first.kind)) sums.kind++;
  if (kinds.includes("requirement-missed")) sums.majority++;
  for (const [name, fault] of new Map(found.faults.map((fault) => [fault.detector, fault]))) {
    const rule = rules.get(name) ?? { fired: 0, right: 0 };
    rules.set(name, { fired: rule.fired + 1, right: rule.right + (kinds.includes(fault.kind) ? 1 : 0) });
  }
  const claim = reading?.faults[0];
  if (reading) {
    if (claim && kinds.includes(claim.kind)) analyst.kind++;
    if ((claim && kinds.includes(claim.kind)) || (first && kinds.includes(first.kind))) analyst.both++;
    if (!claim) analyst.silent++;
    if (!reading.readable) analyst.unreadable++;
    analyst.kept += reading.faults.length;
    analyst.dropped += reading.dropped.filter((reason) => reason !== "too many").length;
    analyst.input += reading.input;
    analyst.output += reading.output;
  }
  if (decisive.length === 0) continue;
  if (nearTo(decisive, claim?.step)) analyst.step++;
  const numbers = [
    ...new Set(run.replies.flatMap((reply) => (reply.steps.length > 0 ? reply.steps.map(({ step }) => step) : [reply.step]))),
  ];
  sums.steps++;
  if (nearTo(decisive, first?.step)) sums.step++;
  if (nearTo(decisive, numbers.at(-1))) sums.last++;
  if (nearTo(decisive, run.steps.find(({ exitCode }) => exitCode !== undefined && exitCode !== 0)?.step)) sums.firstError++;
  sums.random += numbers.filter((step) => nearTo(decisive, step)).length / Math.max(numbers.length, 1);
}

const share = (right: number, n: number): string => {
  const { low, high } = wilson(right, n);
  return `${right.toFixed(right % 1 === 0 ? 0 : 1)} of ${n} | ${(right / n).toFixed(2)} | ${low.toFixed(2)}–${high.toFixed(2)}`;
};
const own =
  analyses === undefined
    ? []
    : [
        `| kind of the analyst's first claim | ${share(analyst.kind, sums.runs)} |`,
        `| the analyst's kind or that of the rules | ${share(analyst.both, sums.runs)} |`,
        `| step of the analyst's first claim within ±1 | ${share(analyst.step, sums.steps)} |`,
        `| no claim of the analyst holds | ${share(analyst.silent, sums.runs)} |`,
        `| citations dropped | ${share(analyst.dropped, analyst.dropped + analyst.kept)} |`,
        `| replies without claims | ${analyst.unreadable} | | |`,
        `| tokens in, out | ${analyst.input}, ${analyst.output} | | |`,
      ];
const lines = [
  `| ${half} numbers | | share | 95 % |`,
  "| --- | --- | --- | --- |",
  `| kind of rank 1 is a reader's kind or kind2 | ${share(sums.kind, sums.runs)} |`,
  `| always requirement-missed | ${share(sums.majority, sums.runs)} |`,
  `| step of rank 1 within ±1 | ${share(sums.step, sums.steps)} |`,
  `| last step | ${share(sums.last, sums.steps)} |`,
  `| first failing command | ${share(sums.firstError, sums.steps)} |`,
  `| random step | ${sums.random.toFixed(1)} of ${sums.steps} | ${(sums.random / sums.steps).toFixed(2)} | |`,
  `| unclassified | ${share(sums.unclassified, sums.runs)} |`,
  `| citations that do not hold | ${sums.uncited} | | |`,
  ...own,
  "",
  "| rule | fired | right | 95 % | |",
  "| --- | --- | --- | --- | --- |",
  ...[...rules]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { fired, right }]) => {
      const { low, high } = wilson(right, fired);
      return `| ${name} | ${fired} | ${right} | ${low.toFixed(2)}–${high.toFixed(2)} | ${fired < 10 ? "hint: too few" : ""} |`;
    }),
];
process.stdout.write(`${lines.join("\n")}\n`);

function nameOf({ events }: AnalyzedRun): string {
  const { name } = objectOf(objectOf(events[0]?.d["meta"])["imported"]);
  return typeof name === "string" ? name : "";
}
