import { quantileSorted } from "d3-array";
import type { JobReport } from "../../../evals/report/job-report.ts";
import type { TrialFacts } from "../../../evals/report/trial-facts.ts";
import { count, duration, unknown } from "../../text/format.ts";
import { axis } from "../charts/axis.ts";
import { logScale } from "../charts/scale.ts";
import { strip } from "../charts/strip.ts";
import { markup, name, type Markup } from "../markup.ts";
import { dataTable, folded, type Section } from "./section.ts";

interface Measure {
  readonly title: string;
  readonly of: (trial: TrialFacts) => number | null;
  readonly format: (value: number) => string;
  /** Values that may stand on the axis, where these are not 1, 2 and 5 times a power of ten. */
  readonly round?: readonly number[];
}

/** More dots than these lie over each other anyway; of all configurations together they keep the page small. */
const [mostDots, mostOfAll] = [400, 1200];

const second = 1000;
const minute = 60 * second;
const times = [0.1, 0.5, 1, 2, 5, 10, 30].map((s) => s * second).concat([1, 2, 5, 10, 30, 60, 120, 300, 600].map((m) => m * minute));
/** `30 s`, `2 min`, `1 h`. */
const shortTime = (ms: number): string =>
  ms < minute ? `${ms / second} s` : ms < 60 * minute ? `${ms / minute} min` : `${ms / (60 * minute)} h`;

const measures: readonly Measure[] = [
  { title: "Tokens of a trial (in and out)", of: ({ tokens }) => tokens, format: count },
  { title: "Tokens that the model wrote", of: ({ tokensOut }) => tokensOut, format: count },
  { title: "Working time", of: ({ activeMs }) => activeMs, format: duration, round: times },
  { title: "Turns", of: ({ turns }) => turns, format: (value) => String(Number(value.toFixed(1))) },
];

/** Tokens, time and turns of every trial. */
export function distributions({ arms }: JobReport): Section {
  return {
    id: "distributions",
    title: "Tokens, time and turns",
    body: markup`<p class="note">A dot a trial: filled where it passed, a ring where it did not. The more trials have such a value, the higher the shape. The bar below holds the middle half, the line is the median. The axes are logarithmic.</p>${measures.map(
      (measure) => chart(measure, arms),
    )}${folded("The same as a table", table(arms))}`,
  };
}

function chart({ title, of, format, round }: Measure, arms: JobReport["arms"]): Markup | undefined {
  const values = arms.flatMap(({ trials }) => known(trials, of));
  if (!values.some((value) => value > 0)) return undefined;
  const low = Math.max(
    1,
    values.reduce((x, y) => Math.min(x, y), Infinity),
  );
  const scale = logScale(
    low,
    values.reduce((x, y) => Math.max(x, y), low),
    round,
  );
  const rows = arms.map((arm) => {
    const dots = arm.trials.flatMap((trial) => {
      const value = of(trial);
      return value === null ? [] : [{ value, passed: trial.passed }];
    });
    const says = `${title}, ${arm.name}: ${summary(known(arm.trials, of), format).join(", ")}`;
    return markup`<div class="forest"><span class="what">${name(arm.name)}</span>${strip(dots, scale, { says, mostDots: Math.min(mostDots, Math.ceil(mostOfAll / arms.length)) })}</div>`;
  });
  return markup`<h3>${title}</h3>${rows}<div class="forest ticks"><span class="what"></span>${axis(scale, round ? shortTime : format)}</div>`;
}

/** What another runner's results do not say is left out. */
const known = (trials: readonly TrialFacts[], of: Measure["of"]): number[] => trials.flatMap((trial) => of(trial) ?? []);

function summary(values: readonly number[], format: Measure["format"]): string[] {
  if (values.length === 0) return ["median", "middle half", "largest"].map((one) => `${one} ${unknown}`);
  const sorted = values.toSorted((x, y) => x - y);
  const at = (share: number): string => format(Math.round(quantileSorted(sorted, share) ?? 0));
  return [`median ${at(0.5)}`, `middle half ${at(0.25)} to ${at(0.75)}`, `largest ${at(1)}`];
}

const table = (arms: JobReport["arms"]): Markup =>
  dataTable(
    "Tokens, time and turns of a trial",
    ["measure", "configuration", "median", "middle half", "largest"].map((title, i) => ({ title, number: i > 1 })),
    measures.flatMap(({ title, of, format }) =>
      arms.map((arm) => [
        title,
        name(arm.name),
        ...summary(known(arm.trials, of), format).map((text) => text.replace(/^(median|middle half|largest) /, "")),
      ]),
    ),
  );
