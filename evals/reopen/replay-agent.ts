import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isSimulated, type ResolvedAgent, type ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { DeadlineError, type AgentInput, type Outcome } from "../../harness/contract/run-result.ts";
import type { ModelIdentity } from "../../harness/contract/ports.ts";
import { CannotError, InfraError } from "../../harness/errors.ts";
import type { RunEvent } from "../../harness/events/schema.ts";
import { isObject } from "../../harness/json.ts";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import { plural } from "../../harness/text/figures.ts";
import { timerMs } from "../../harness/timer-ms.ts";
import type { Task } from "../../tasks/task.ts";
import { readSeal } from "../../traces/format/seal.ts";
import { createRecordedAnswers, type AnswersSoFar } from "../../traces/observed/recorded-answers.ts";
import { loadTrace } from "../../traces/read/load-trace.ts";
import { tornText } from "../../traces/read/torn-tail.ts";
import { startDifferences } from "../../traces/replay/diff/start-differences.ts";
import { adapterOf } from "../agents/find-adapter.ts";
import { agentHome, howItEnded } from "../agents/run-agent-process.ts";
import { givenUp } from "../trial/attempt/given-up.ts";
import { recordedScore, workAgain, type WorkAgain } from "./judge-again.ts";
import type { OpenedTrial } from "./open-trial.ts";
import { inTrialSandbox, type TrialSandboxOptions } from "./trial-sandbox.ts";

/** How another agent, run again, and its recording part; `exact`: they do not. */
type AgentReplayClass = "exact" | "differs" | "extra request" | "stopped early" | "crashed" | "another end" | "out of time";

export interface AgentReplay extends AnswersSoFar {
  readonly class: AgentReplayClass;
  /** One sentence; empty where it is exact. */
  readonly what: string;
  /** Keys of the configuration that are not as recorded. */
  readonly changed: readonly string[];
  /** Asked of an exact replay alone. */
  readonly work: (WorkAgain & { readonly recorded: number | null | undefined }) | undefined;
  readonly notes: readonly string[];
}

type WithAgent = ResolvedConfig & { readonly agent: ResolvedAgent };

/**
 * Starts the agent of a recorded run again, in a fresh sandbox of its task, and answers its requests from the recording. The first that is another one ends
 * it; no model is asked of anything.
 * @param o.config in place of the recorded one
 */
export async function replayAgent(
  trial: OpenedTrial,
  o: { readonly config?: WithAgent | undefined; readonly place: Omit<TrialSandboxOptions, "plan" | "say" | "after" | "config"> },
): Promise<AgentReplay> {
  const { ports, signal } = o.place;
  const [first] = trial.events;
  if (!first) throw new CannotError(`The run in ${trial.folder} has no events.`);
  const recorded = first.d["config"] as unknown as WithAgent; // the caller asked `isObserved`
  const config = o.config ?? recorded;
  const notes = new Set<string>(trial.torn ? [tornText(trial.torn)] : []);
  if (JSON.stringify(config.agent).includes("█"))
    notes.add("secrets were masked in its recorded files, variables or arguments, so it is started with other ones");
  const say = (line: string): void => void (line.includes("differ") && notes.add(line));
  let judged: Judged | undefined;
  let work: AgentReplay["work"];
  await inTrialSandbox(
    trial,
    {
      ...o.place,
      config,
      say,
      async after(place) {
        if (judged?.class !== "exact" || judged.endsThere) return;
        const workspace = readSeal(trial.folder)?.workspace ?? undefined;
        work = { recorded: recordedScore(trial), ...(await workAgain(trial, place, { recorded: workspace, ports, signal })) };
        if (work.why !== undefined) notes.add(`the verifier was not asked: ${work.why}`);
      },
    },
    async (sandbox, task) => {
      judged = await runAgain(trial, { config, recorded, sandbox, task, place: o.place });
    },
  );
  if (!judged) throw new InfraError("The agent's sandbox was closed before the agent ended.");
  if (judged.endsThere) notes.add("the recording ends there: the run was ended from outside");
  const changed = startDifferences(first, { ...first, d: { ...first.d, config: JSON.parse(JSON.stringify(config)) } })
    .map(({ key }) => key)
    .filter((key) => key !== "name" && key !== "hash");
  return { ...judged, changed, work, notes: [...notes] };
}

interface Judged extends AnswersSoFar {
  readonly class: AgentReplayClass;
  readonly what: string;
  /** All was asked of a run that was ended from outside. */
  readonly endsThere: boolean;
}

async function runAgain(
  trial: OpenedTrial,
  o: {
    readonly config: WithAgent;
    readonly recorded: WithAgent;
    readonly sandbox: Sandbox;
    readonly task: Task;
    readonly place: Pick<TrialSandboxOptions, "ports" | "signal">;
  },
): Promise<Judged> {
  const { config, recorded, sandbox, task } = o;
  const { ports, signal } = o.place;
  const { kind, workdir } = sandbox;
  const { deadlineMs, events } = trial;
  const start = events[0]?.d ?? {};
  const input = start["input"] as unknown as AgentInput; // what `run.start` records
  const called = modelCalled(start["meta"]);
  const model = config === recorded ? called.model : otherName(config, recorded, called);
  const answers = createRecordedAnswers(events, {
    model: called.model,
    asked: model,
    places: {
      recorded: { "<workdir>": trial.workdir, "<home>": agentHome({ kind: trial.sandbox, workdir: trial.workdir }) },
      now: { "<workdir>": workdir, "<home>": agentHome(sandbox) },
    },
  });
  const then = endOf(events);
  const deadline = new AbortController();
  const whole = new AbortController();
  const over = AbortSignal.any([deadline.signal, whole.signal, signal]);
  const timer = setTimeout(() => deadline.abort(new DeadlineError(`The time limit of ${deadlineMs} ms is over.`)), timerMs(deadlineMs));
  const folder = await mkdtemp(join(tmpdir(), "forge-replay-"));
  const { task: name, repeat, attempt, agent, taskDigest, imageDigest } = trial;
  try {
    const run = ports.run({
      config,
      task: { ...task, instruction: input.task },
      sandbox,
      agent: "configured",
      seed: 0,
      folder,
      signal: over,
      deadlineMs,
      meta: {
        forgeVersion: ports.forgeVersion,
        job: "replay",
        agent,
        taskDigest,
        imageDigest,
        deadlineMs,
        sandbox: kind,
        workdir,
        trial: { task: name, configuration: config.name, repeat, attempt },
      },
      answers: {
        identity: start["model"] as unknown as ModelIdentity, // what `run.start` records
        model,
        answer(seen) {
          const answer = answers.answer(seen);
          if (then.fromOutside && answers.isOver()) whole.abort(new Error("The recording ends here."));
          return answer;
        },
      },
    });
    const { result, trace } = await givenUp(run, over);
    await trace.seal({});
    signal.throwIfAborted();
    const soFar = answers.soFar();
    const now = endOf((await loadTrace(folder)).events);
    if (whole.signal.aborted && !soFar.other) return { ...soFar, class: "exact", what: "", endsThere: true };
    return { ...soFar, ...judge(soFar, then, { ...now, outcome: result.outcome }), endsThere: false };
  } finally {
    clearTimeout(timer);
    await rm(folder, { recursive: true, force: true });
  }
}

interface End {
  readonly outcome: Outcome | undefined;
  /** Undefined where its process was ended. */
  readonly exitCode: number | undefined;
  /** It was ended when its time was over, by a person, or with its sandbox. */
  readonly fromOutside: boolean;
}

function endOf(events: readonly RunEvent[]): End {
  const outcome = events.findLast(({ t, lane }) => t === "run.end" && lane === "main")?.d["outcome"] as Outcome | undefined; // by the event's schema
  const exitCode = events.findLast(({ t, d }) => t === "note" && d["text"] === howItEnded)?.d["exitCode"];
  const fromOutside =
    !outcome ||
    outcome.type === "cancelled" ||
    (outcome.type === "limit" && outcome.limit === "deadline") ||
    (outcome.type === "error" && outcome.kind === "infra" && typeof exitCode !== "number");
  return { outcome, exitCode: typeof exitCode === "number" ? exitCode : undefined, fromOutside };
}

function judge({ other, requests, asked, next }: AnswersSoFar, then: End, now: End): Pick<Judged, "class" | "what"> {
  const { outcome } = now;
  const sofar = `${asked} of ${plural(requests, "recorded request")}`;
  if (other?.type === "extra")
    return {
      class: "extra request",
      what: `request ${other.number} is one too many: ${sofar} were asked, and none that is left is of its kind`,
    };
  if (other)
    return { class: "differs", what: `request ${other.number} differs from the recorded ${other.at ?? ""} in ${other.part ?? "its body"}` };
  const missing = next ? `; the first that it did not ask is ${next.at}` : "";
  if (outcome?.type === "error" && outcome.kind === "infra") throw new InfraError(outcome.message);
  if (outcome?.type === "limit" && outcome.limit === "deadline")
    return { class: "out of time", what: `it asked ${sofar} and did not end in its time${missing}` };
  // its number of requests is of those that reached a model
  const words = outcome?.type === "error" ? `: ${outcome.message.replace(/^.*?: /, "")}` : "";
  if (now.exitCode !== then.exitCode && now.exitCode !== 0 && now.exitCode !== undefined && then.exitCode !== undefined)
    return {
      class: "crashed",
      what: `it ended with exit code ${now.exitCode}, not ${then.exitCode}, having asked ${sofar}${missing}${words}`,
    };
  if (next) return { class: "stopped early", what: `it ended after ${sofar}${missing}` };
  const isAnother =
    now.exitCode !== undefined && then.exitCode !== undefined
      ? now.exitCode !== then.exitCode
      : then.exitCode !== undefined || then.outcome?.type === "done";
  if (isAnother || (outcome?.type === "error" && then.outcome?.type === "done"))
    return { class: "another end", what: `it asked ${sofar} and ended otherwise than recorded${words}` };
  return { class: "exact", what: "" };
}

interface CalledModel {
  readonly model: string;
  readonly translated: boolean;
}

function modelCalled(meta: unknown): CalledModel {
  const gateway = isObject(meta) ? meta["gateway"] : undefined;
  if (!isObject(gateway) || typeof gateway["model"] !== "string")
    throw new CannotError("Its recording does not say under which name the agent asked for its model; record it again with forge bench.");
  return { model: gateway["model"], translated: gateway["upstream"] === "translated" };
}

/** The name that this configuration's agent would call its model by. */
function otherName(config: WithAgent, recorded: WithAgent, called: CalledModel): string {
  if (config.model.name === recorded.model.name && config.agent.name === recorded.agent.name) return called.model;
  const known = called.translated ? adapterOf(config.agent.name)?.knownModel : undefined;
  return known ?? (isSimulated(config) ? "sim-model" : config.model.name.replace(/^[^/]*\//, ""));
}
