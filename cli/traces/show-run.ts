import { plural } from "../../harness/text/figures.ts";
import { resolve } from "node:path";
import { ConfigError, CannotError } from "../../harness/errors.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { eventLine, runHead, turnText } from "../../reports/terminal/run-text.ts";
import { loadTrace } from "../../traces/read/load-trace.ts";
import { runOverview } from "../../traces/read/run-overview.ts";
import { turnsOf, type NumberedEvent, type Turn } from "../../traces/read/turns.ts";
import { findRuns } from "../../traces/store/find-runs.ts";
import { runName } from "../../traces/read/run-name.ts";
import { sayTorn } from "../shared/say-torn.ts";
import type { ShowFlags } from "./options.ts";

/** A run for a reader, turn by turn; or with `grep` or `type` the events that fit, one a line. Answers the exit code: 1 when nothing fits. */
export async function showRun(folder: string, flags: ShowFlags): Promise<number> {
  const trace = await loadTrace(await onlyRun(folder));
  const overview = { ...(await runOverview(resolve(trace.folder))), folder: runName(resolve(trace.folder)) };
  const o = { cwd: process.cwd(), full: flags.full === true || flags.step !== undefined, notKnown: overview.notKnown ?? [] };
  const turns = turnsOf(trace.events.map((event, index) => ({ ...event, seq: trace.lines[index]?.seq ?? index })));
  const asked = flags.step === undefined ? turns : turns.filter(({ turn }) => turn === flags.step);
  if (asked.length === 0) {
    const last = turns.at(-1)?.turn ?? 0;
    throw new CannotError(`There is no turn ${flags.step} in ${folder}: its last one is ${last}. Give one up to ${last}.`);
  }
  const out = (text: string): void => void process.stdout.write(`${text}\n`);
  out(flags.json ? jsonLine({ type: "run", ...overview, torn: trace.torn }) : runHead(overview, o.cwd));
  if (!flags.json) sayTorn(trace.folder, trace.torn);
  if (flags.grep === undefined && flags.type === undefined) {
    for (const turn of asked) out(flags.json ? jsonLine(turnJson(turn, o.full)) : `\n${turnText(turn, o)}`);
    return 0;
  }
  const fitting = asked.flatMap(({ turn, events }) => events.filter((event) => fits(event, flags)).map((event) => ({ turn, event })));
  for (const { turn, event } of fitting) out(flags.json ? jsonLine({ type: "event", turn, event }) : eventLine(event, o));
  return fitting.length > 0 ? 0 : 1;
}

function fits(event: NumberedEvent, { grep, type }: ShowFlags): boolean {
  if (type && !type.includes(event.t)) return false;
  return grep === undefined || saysText(event.d, grep.toLowerCase());
}

/** Whether a text stands in any text of recorded data, keys left out. */
function saysText(value: unknown, wanted: string): boolean {
  if (typeof value === "string") return value.toLowerCase().includes(wanted);
  return typeof value === "object" && value !== null && Object.values(value).some((item) => saysText(item, wanted));
}

/** Sums and where its events are; the events themselves where they were asked for. */
const turnJson = ({ events, ...sums }: Turn, full: boolean): unknown => ({
  type: "turn",
  ...sums,
  from: events[0]?.seq,
  to: events.at(-1)?.seq,
  ...(full ? { events } : {}),
});

/** The run of a folder that holds one. */
async function onlyRun(folder: string): Promise<string> {
  const [run, ...more] = await findRuns(folder);
  if (run === undefined || more.length > 0)
    throw new ConfigError(`${folder} holds ${plural(more.length + 1, "run")}; name one of them. forge traces list ${folder} lists them.`);
  return run;
}
