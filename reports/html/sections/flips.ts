import type { PairComparison } from "../../../evals/compare/compare.ts";
import type { ComparisonReport } from "../../../evals/compare/comparison-report.ts";
import type { TracedFlip } from "../../../evals/compare/flips/traced-flips.ts";
import { wordOf } from "../../../evals/report/reproduce.ts";
import { runLinks, share, signed, tornLines } from "../../content/comparison-lines.ts";
import { pointsSize } from "../../../harness/text/figures.ts";
import { plural } from "../../text/format.ts";
import { markup, name, type Markup } from "../markup.ts";
import { runLink, type RunAddress } from "./run-link.ts";
import { dataTable, folded, type Section } from "./section.ts";
import { withinBytes } from "./within-bytes.ts";

/** So many are in sight; the others are folded away. */
const mostShown = 12;
/** All of them, in a page that a mail takes. */
const mostBytes = 300_000;
/** Tasks that are named of those that only one side has. */
const mostNamed = 50;
/** Families and difficulties. */
const mostGroups = 100;

/** The tasks that one configuration does better than the other, and where their runs part; then the differences by group. */
export function flips({ pairs }: ComparisonReport, address: RunAddress): Section | undefined {
  if (pairs.length === 0) return undefined;
  const each = mostBytes / pairs.length;
  const shown = withinBytes(pairs, mostBytes, (pair) => pairFlips(pair, address, each));
  return {
    id: "flips",
    title: "Tasks that changed",
    body: markup`${shown.shown}${shown.left > 0 ? markup`<p class="note">${plural(shown.left, "pair")} more: forge compare --json has them.</p>` : undefined}`,
  };
}

function pairFlips(pair: PairComparison, address: RunAddress, bytes: number): Markup {
  const of = (change: "fixed" | "broken"): readonly TracedFlip[] => pair.flips.filter((flip) => flip.change === change);
  const [fixed, broken] = [of("fixed"), of("broken")];
  const same = (pair.readings[0]?.tasks ?? 0) - pair.flips.length;
  const caption = `${pair.a} → ${pair.b}: ${fixed.length} fixed, ${broken.length} broken, ${same} the same`;
  const size = (flip: TracedFlip): number => Math.abs(flip.b - flip.a);
  const { shown: rows, left } = withinBytes(
    [...fixed, ...broken].toSorted((x, y) => size(y) - size(x)),
    bytes,
    (flip) => [
      name(flip.task),
      markup`<span class="tag ${flip.change === "fixed" ? "good" : "bad"}">${flip.change === "fixed" ? "▲ fixed" : "▼ broken"}</span>`,
      `${share(flip.a)} → ${share(flip.b)}`,
      parting(flip, pair, address),
    ],
  );
  const columns = ["task", "change", "mean", "where the runs part"].map((title, i) => ({ title, number: i === 2 }));
  const table = (title: string, some: typeof rows): Markup => dataTable(title, columns, some, { kind: "stack" });
  const rest = rows.slice(mostShown);
  const shown =
    rows.length > 0
      ? markup`${table(caption, rows.slice(0, mostShown))}${rest.length > 0 ? folded(`${rest.length} more, by the size of the change`, table("The others", rest)) : undefined}${left > 0 ? markup`<p class="note">${left} more, which changed no more than these: forge compare --json has them.</p>` : undefined}`
      : markup`<p>${plural(same, "task")}, none of them changed.</p>`;
  return markup`<h3>${name(pair.a)} → ${name(pair.b)}</h3>${shown}${pair.leftOut.length > 0 ? markup`<p class="note">Not in both: ${pair.leftOut.slice(0, mostNamed).map((task, at) => markup`${at > 0 ? ", " : ""}${name(task)}`)}${pair.leftOut.length > mostNamed ? ` and ${pair.leftOut.length - mostNamed} more` : ""}.</p>` : undefined}${groups(pair)}`;
}

function parting(flip: TracedFlip, { a, b }: PairComparison, address: RunAddress): Markup {
  const links = runLinks(flip);
  const sides = [
    { arm: a, run: flip.runA, link: links.a, side: flip.parting?.a },
    { arm: b, run: flip.runB, link: links.b, side: flip.parting?.b },
  ];
  const lines = sides.map(({ arm, run, link, side }) =>
    run === null || link === undefined
      ? undefined
      : markup`<li>${name(arm)}: ${side ? markup`<code>${side.says === "" ? "(nothing)" : side.says}</code>${side.after.length > 0 ? ` after ${side.after.join(", ")}` : ""} · ` : undefined}${eventLink(run, link, side?.seq, address)}</li>`,
  );
  const torn = tornLines(flip, { a, b }).map((line) => markup`<li>${line}</li>`);
  return markup`${flip.parting ? `turn ${flip.parting.turn}` : ""}<ul class="plain">${lines}${torn}</ul>`;
}

/** To an event where the page can lead there; else to the run's folder, and what to type to see the event. */
function eventLink(run: string, link: string, seq: number | undefined, address: RunAddress): Markup {
  if (seq === undefined) return runLink(run, "run", address, link);
  const leads = address(run, seq) !== address(run);
  return leads
    ? runLink(run, `event ${seq}`, address, link, seq)
    : markup`${runLink(run, "run", address, run)}, event ${seq} <code class="type">forge view ${wordOf(link)}</code>`;
}

function groups(pair: PairComparison): Markup | undefined {
  if (pair.groups.length === 0) return undefined;
  const rows = pair.groups
    .slice(0, mostGroups)
    .map(({ by, name: group, tasks, raw, shrunken, se }) => [
      markup`${by} ${name(group)}`,
      tasks,
      signed(raw),
      `${signed(shrunken)} ± ${pointsSize(1.96 * se)}`,
    ]);
  const columns = ["group", "tasks", "counted, points", "shrunken ± 95 %"].map((title, i) => ({ title, number: i > 0 }));
  return folded(
    "By family, category and difficulty: exploratory, never a result by itself",
    markup`${dataTable("Differences by group, shrunken towards all tasks", columns, rows)}${pair.groups.length > mostGroups ? markup`<p class="note">${pair.groups.length - mostGroups} more: forge compare --json has them.</p>` : undefined}`,
  );
}
