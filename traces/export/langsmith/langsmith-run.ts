import type { JsonObject } from "../../../harness/json.ts";
import type { ExportedEvent, ExportedRun } from "../exported-run.ts";
import { uuidV5 } from "./uuid-v5.ts";

/** One node of a LangSmith run tree, as its ingestion takes it. Times are ISO with microseconds. */
export interface LangSmithRun {
  readonly id: string;
  readonly trace_id: string;
  readonly parent_run_id?: string;
  /** Time and id of all above it and its own: LangSmith sorts and nests by it. */
  readonly dotted_order: string;
  readonly name: string;
  readonly run_type: "chain" | "llm" | "tool";
  readonly start_time: string;
  readonly end_time: string;
  readonly inputs: JsonObject;
  readonly outputs?: JsonObject;
  readonly error?: string;
  readonly events?: JsonObject[];
  readonly extra: JsonObject;
  readonly tags?: string[];
}

/** A verdict on the whole run, as LangSmith's feedback. */
export interface LangSmithFeedback {
  readonly id: string;
  readonly key: string;
  readonly score: number;
  readonly comment?: string;
}

/** A run as LangSmith has it; the first node is its root. */
export interface LangSmithTree {
  readonly runs: readonly [LangSmithRun, ...LangSmithRun[]];
  readonly feedback: readonly LangSmithFeedback[];
}

/** What the nodes of one run are made with. */
export interface TreeContext {
  readonly run: ExportedRun;
  eventAt(reference: string): ExportedEvent | undefined;
  /** Of the node that begins with this event, or of anything else that has a name. */
  idOf(event: Pick<ExportedEvent, "seq"> | string): string;
  timeOf(event: ExportedEvent): string;
}

/** Ours alone, made once: ids of other software never meet these. */
const namespace = "6b0d6d1e-0f4c-4b5e-9a53-6d7c1f2a8e90";

/**
 * Ids are made of the project's name, the run's id and the event's number: in one project the same run has the same ones on every machine and at every
 * export. LangSmith knows an id once, in whichever project it is, so a second project needs others.
 */
export function treeContext(run: ExportedRun, project: string): TreeContext {
  const own = uuidV5(run.id, uuidV5(project, namespace));
  const byReference = new Map(run.events.map((event) => [`${event.lane}#${event.n}`, event]));
  const [first] = run.events;
  const whole = (value: number | undefined): number => (value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : 0);
  const begin = Math.min(whole(first?.ts), latestMs);
  // LangSmith sorts by time alone: each event comes a microsecond after the one before it at least, also where no time was recorded
  const since = new Map<number, number>();
  let last = -1;
  for (const { seq, dt } of run.events) since.set(seq, (last = Math.max(last + 1, whole(dt) - whole(first?.dt))));
  return {
    run,
    eventAt: (reference) => byReference.get(reference),
    idOf: (event) => uuidV5(typeof event === "string" ? event : String(event.seq), own),
    timeOf(event) {
      const micros = since.get(event.seq) ?? 0;
      const ms = Math.min(begin + Math.floor(micros / 1000), latestMs);
      return new Date(ms).toISOString().replace("Z", `${String(micros % 1000).padStart(3, "0")}Z`);
    },
  };
}

/** What is no time counts as 1970, and none is later than the year 9999. */
const latestMs = 253_402_300_799_999;

/** The place in the tree of a node that begins at `time` below `parent`. */
export function dottedOrder(time: string, id: string, parent: Pick<LangSmithRun, "dotted_order"> | undefined): string {
  const own = `${time.replaceAll(/[-:.]/g, "")}${id}`;
  return parent ? `${parent.dotted_order}.${own}` : own;
}
