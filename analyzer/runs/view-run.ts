import type { TrialRecord } from "../../evals/trial/trial-record.ts";
import type { LoadedTrace } from "../../traces/read/load-trace.ts";
import type { NumberedEvent } from "../../traces/read/turns.ts";
import { isObject, type JsonObject } from "../../harness/json.ts";
import type { AnalyzedRun, RunEnd, RunReply, RunSetup } from "./analyzed-run.ts";
import { numberOf, objectOf, repliesOf, wordOf } from "./steps-of.ts";

/** What is known of a run beside its trace. */
export interface RunFacts {
  readonly name: string;
  readonly record: TrialRecord | undefined;
  /** What the verifier printed. */
  readonly report: string;
}

/** A loaded trace as detectors see it. */
export function viewRun(trace: LoadedTrace, { name, record, report }: RunFacts): AnalyzedRun {
  const events = trace.events.map((event, i): NumberedEvent => ({ ...event, seq: trace.lines[i]?.seq ?? i }));
  const start = events[0]?.d ?? {};
  const meta = objectOf(start["meta"]);
  const trial = objectOf(meta["trial"]);
  const config = objectOf(start["config"]);
  const observed = isObject(meta["gateway"]);
  const imported =
    wordOf(objectOf(meta["imported"])["format"]) ?? (observed ? (wordOf(objectOf(config["agent"])["name"]) ?? "gateway") : undefined);
  const verdict = events.findLast(({ t }) => t === "verifier.result");
  const replies = repliesOf(events, { effects: imported === undefined });
  const instruction = wordOf(objectOf(start["input"])["task"]) ?? "";
  const published = verdict && typeof verdict.d["passed"] === "boolean" ? verdict.d["passed"] : undefined;
  return {
    name,
    folder: trace.folder,
    task: record?.task ?? wordOf(trial["task"]) ?? instruction.slice(0, 200),
    family: record?.family ?? wordOf(trial["family"]),
    configuration: record?.configuration ?? wordOf(trial["configuration"]) ?? wordOf(config["name"]) ?? "",
    model: wordOf(objectOf(config["model"])["name"]) ?? "",
    simulated: record?.simulated ?? objectOf(start["model"])["provider"] === "sim",
    repeat: record?.repeat ?? numberOf(trial["repeat"]),
    passed: record ? (record.passed ?? undefined) : published,
    class: record?.class,
    imported,
    observed,
    instruction,
    setup: setupOf(config, imported !== undefined),
    report: report === "" ? (wordOf(verdict?.d["report"]) ?? "") : report,
    verdictSeq: verdict?.seq,
    events,
    replies,
    steps: replies.flatMap(({ steps }) => steps),
    end: endOf(events, replies),
  };
}

function setupOf(config: JsonObject, imported: boolean): RunSetup {
  const model = objectOf(config["model"]);
  return {
    protocol: wordOf(model["protocol"]) ?? "",
    tools: namesIn(config["tools"]),
    middleware: namesIn(config["middleware"]),
    turns: numberOf(objectOf(config["limits"])["turns"]),
    maxOutputTokens: imported ? undefined : numberOf(model["maxOutputTokens"]),
    hash: wordOf(config["hash"]) ?? "",
    config,
  };
}

const namesIn = (list: JsonObject[string] | undefined): string[] =>
  Array.isArray(list) ? list.flatMap((item) => (isObject(item) && typeof item["name"] === "string" ? [item["name"]] : [])) : [];

function endOf(events: readonly NumberedEvent[], replies: readonly RunReply[]): RunEnd {
  const end = events.findLast(({ t, lane }) => t === "run.end" && lane === "main");
  const outcome = objectOf(end?.d["outcome"]);
  const last = replies.at(-1);
  return {
    seq: end?.seq ?? events.at(-1)?.seq ?? 0,
    type: wordOf(outcome["type"]) ?? "",
    limit: wordOf(outcome["limit"]),
    answer: wordOf(end?.d["answer"]) ?? "",
    step: last && last.steps.length === 0 ? last.step : (last?.steps.at(-1)?.step ?? 0) + 1,
  };
}
