import type { BlastRadius, MiddlewareRadius, Tally } from "../traces/replay/blast-radius.ts";
import { plural } from "./terminal/format.ts";
import { printableData } from "./terminal/printable.ts";

/** What the table, the page and the list of places are laid out from. Every text of others is on one line. */
export interface BlastRows {
  readonly summary: readonly string[];
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Of each middleware that threw, what it threw first: below the table. */
  readonly errors: readonly string[];
  readonly places: readonly { readonly where: string; readonly what: string; readonly next: string }[];
  readonly leftOut: readonly string[];
}

const of = (part: number, whole: number): string => `${part} of ${whole}`;
const all = ({ passed, failed, unknown }: Tally): number => passed + failed + unknown;

export function blastRows(given: BlastRadius, left: readonly { reason: string; runs: number }[]): BlastRows {
  const { runs, requests, triggers, telling } = printableData(given);
  const { changed, first, classes } = requests;
  const unknown = runs.unknown > 0 ? `, ${of(changed.unknown, runs.unknown)} without a verdict` : "";
  const turns = first ? `, first at turn ${first.earliest}, median ${first.median}` : "";
  const kinds = Object.entries(classes).toSorted((a, b) => b[1] - a[1]);
  return {
    summary: [
      `${plural(all(runs), "run")}: ${runs.failed} failed, ${runs.passed} passed${runs.unknown > 0 ? `, ${runs.unknown} without a verdict` : ""}.`,
      `Requests: would differ in ${of(changed.failed, runs.failed)} failed and ${of(changed.passed, runs.passed)} passed runs${unknown}${turns}.`,
      ...(kinds.length > 0 ? [`First difference: ${kinds.map(([name, count]) => `${name} ${count}`).join(", ")}.`] : []),
    ],
    head: ["middleware", "failed", "passed", "no verdict", "first turn", "places", "acted before", "unanswered"],
    rows: triggers.map(row),
    errors: triggers.flatMap(({ name, error }) => (error === undefined ? [] : [`${name} threw first: ${shorten(error, 500)}`])),
    places: telling.map(({ run, seq, turn, task, passed, middleware, effect, change, text, why, next }) => ({
      where: `${run}:${seq}`,
      what: `${task ?? "run"}, ${passed === undefined ? "no verdict" : passed ? "passed" : "failed"}, turn ${turn}: ${middleware} would ${verb(effect, change)} (${why})${text === undefined ? "" : `: ${shorten(text)}`}`,
      next,
    })),
    leftOut: printableData(left).map(({ reason, runs: count }) => `${plural(count, "run")} left out: ${reason}`),
  };
}

function row({ name, watched, fires, places, first, before, unanswered, threw }: MiddlewareRadius): string[] {
  const isGone = all(watched) === 0;
  const share = (side: keyof Tally): string => (isGone ? "gone" : of(fires[side], watched[side]));
  const effects = Object.entries(places).map(([effect, count]) => `${effect} ${count}`);
  return [
    name,
    share("failed"),
    share("passed"),
    share("unknown"),
    first ? `${first.earliest} (median ${first.median})` : "–",
    effects.join(", ") || "–",
    `${all(before)}`,
    `${unanswered}${threw > 0 ? `, threw in ${threw}` : ""}`,
  ];
}

const verbs: Readonly<Record<string, string>> = { inject: "inject", resume: "go on instead of ending" };
const verb = (effect: string, change: string): string => verbs[effect] ?? `${effect}: ${change}`;
const shorten = (text: string, most = 160): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
