import type { BlastRadius, MiddlewareRadius, Tally } from "../../traces/replay/dry/blast-radius.ts";
import { plural } from "../text/format.ts";
import { printableData } from "../../harness/text/printable.ts";

/** What the table, the page and the list of places are laid out from. Every text of others is on one line. */
export interface BlastRows {
  readonly summary: readonly string[];
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Below the table: of each middleware in which runs it cannot be known, and why. */
  readonly notKnown: readonly string[];
  /** Of each middleware that threw, what it threw first: below these. */
  readonly errors: readonly string[];
  readonly places: readonly { readonly where: string; readonly what: string; readonly next: string }[];
  readonly leftOut: readonly string[];
}

const of = (part: number, whole: number): string => `${part} of ${whole}`;
export const notRecorded = "needs data that was not recorded";
/** Why a question about a recorded run has no answer. */
export const noAnswer = `${notRecorded}: only a live run can show it`;
const all = ({ passed, failed, unknown }: Tally): number => passed + failed + unknown;

export function blastRows(given: BlastRadius, left: readonly { reason: string; runs: number }[]): BlastRows {
  const { runs, requests, triggers, telling } = printableData(given);
  const { changed, first, classes, notKnown, asks } = requests;
  const inRuns = (part: Tally): string =>
    `${of(part.failed, runs.failed)} failed and ${of(part.passed, runs.passed)} passed runs${runs.unknown > 0 ? `, ${of(part.unknown, runs.unknown)} without a verdict` : ""}`;
  const turns = first ? `, first at turn ${first.earliest}, median ${first.median}` : "";
  return {
    summary: [
      `${plural(all(runs), "run")}: ${runs.failed} failed, ${runs.passed} passed${runs.unknown > 0 ? `, ${runs.unknown} without a verdict` : ""}.`,
      `Requests: would differ in ${inRuns(changed)}${turns}.`,
      ...(all(notKnown) > 0
        ? [
            `Requests: cannot be known in ${inRuns(notKnown)}, where a middleware ${noAnswer} (${byCount(asks)}).`,
            `Requests: would be the same in ${inRuns(others(runs, [changed, notKnown]))}.`,
          ]
        : []),
      ...(all(changed) > 0 ? [`First difference: ${byCount(classes)}.`] : []),
    ],
    head: ["middleware", "failed", "passed", "no verdict", "cannot be known", "first turn", "places", "acted before", "unanswered"],
    rows: triggers.map(row),
    notKnown: triggers.flatMap((one) => (all(one.notKnown) > 0 ? [whyNotKnown(one)] : [])),
    errors: triggers.flatMap(({ name, error }) => (error === undefined ? [] : [`${name} threw first: ${shorten(error, 500)}`])),
    places: telling.map(({ run, seq, turn, task, passed, middleware, effect, change, text, why, next }) => ({
      where: `${run}:${seq}`,
      what: `${task ?? "run"}, ${passed === undefined ? "no verdict" : passed ? "passed" : "failed"}, turn ${turn}: ${middleware} would ${verb(effect, change)} (${why})${text === undefined ? "" : `: ${shorten(text)}`}`,
      next,
    })),
    leftOut: printableData(left).map(({ reason, runs: count }) => `${plural(count, "run")} left out: ${reason}`),
  };
}

const byCount = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .toSorted((a, b) => b[1] - a[1])
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");

function others(runs: Tally, parts: readonly Tally[]): Tally {
  const rest = (side: keyof Tally): number => parts.reduce((left, part) => left - part[side], runs[side]);
  return { passed: rest("passed"), failed: rest("failed"), unknown: rest("unknown") };
}

function whyNotKnown({ name, notKnown, unanswered }: MiddlewareRadius): string {
  const sides = [
    ...(notKnown.failed > 0 ? [`${notKnown.failed} failed`] : []),
    ...(notKnown.passed > 0 ? [`${notKnown.passed} passed`] : []),
    ...(notKnown.unknown > 0 ? [`${notKnown.unknown} without a verdict`] : []),
  ];
  const why = unanswered > 0 ? `it ${noAnswer}` : "another middleware threw before it could act";
  return `${name} cannot be known in ${plural(all(notKnown), "run")} (${sides.join(", ")}): ${why}.`;
}

function row({ name, watched, fires, notKnown, places, first, before, unanswered, threw }: MiddlewareRadius): string[] {
  const isGone = all(watched) === 0;
  const share = (side: keyof Tally): string => {
    const known = watched[side] - notKnown[side];
    if (isGone) return "gone";
    if (watched[side] === 0) return "–";
    return known === 0 ? "not known" : of(fires[side], known);
  };
  const effects = Object.entries(places).map(([effect, count]) => `${effect} ${count}`);
  return [
    name,
    share("failed"),
    share("passed"),
    share("unknown"),
    all(notKnown) > 0 ? `${all(notKnown)} of ${all(watched)}` : "–",
    first ? `${first.earliest} (median ${first.median})` : "–",
    effects.join(", ") || "–",
    `${all(before)}`,
    `${unanswered}${threw > 0 ? `, threw in ${threw}` : ""}`,
  ];
}

const verbs: Readonly<Record<string, string>> = { inject: "inject", resume: "continue instead of ending" };
const verb = (effect: string, change: string): string => verbs[effect] ?? `${effect}: ${change}`;
const shorten = (text: string, most = 160): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
