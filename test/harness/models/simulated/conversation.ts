import { userMessage, type Message, type ToolSchema, type ToolStatus } from "../../../../harness/contract/messages.ts";
import type { Model, ModelRequest } from "../../../../harness/contract/ports.ts";
import { ModelError } from "../../../../harness/contract/model-error.ts";
import { drawFaults } from "../../../../harness/models/simulated/faults/draw-faults.ts";
import type { Fault } from "../../../../harness/models/simulated/faults/fault-kinds.ts";
import { draftFile, failingCommand } from "../../../../harness/models/simulated/play/lines.ts";
import { planSchema } from "../../../../harness/models/simulated/plan.ts";
import { profileOf } from "../../../../harness/models/simulated/profiles.ts";
import { createSimulatedModel } from "../../../../harness/models/simulated/simulated-model.ts";

export const bash = (command: string) => ({ tool: "bash", args: { command } });
export const plan = planSchema.parse({
  steps: [
    { say: "I look.", calls: [bash("ls"), bash("cat task.md")] },
    { say: "I prepare.", calls: [bash("mkdir -p out")] },
    { say: "I write the report.", calls: [bash("echo good > out/report.txt")] },
    { say: "I check it.", check: true, calls: [bash("grep good out/report.txt")] },
  ],
  answer: "The report is in out/report.txt.",
  slip: [{ calls: [bash("ls")] }, { calls: [bash("echo bad > out/report.txt")] }],
  claims: ["out/report.txt"],
});
export const tool = (name: string): ToolSchema => ({ name, description: name, parameters: { type: "object" } });

export interface Talk {
  /** Said when the model takes itself to be done. */
  readonly finish?: (n: number) => string | undefined;
  /** Said after the results of a turn. */
  readonly nudge?: (command: string, times: number) => string | undefined;
  readonly deny?: (command: string, times: number) => string | undefined;
  readonly context?: readonly string[];
  /** Mends calls with an argument of another name, as a repairing harness does. */
  readonly mends?: boolean;
  /** What a command prints. */
  readonly output?: (command: string) => string;
  readonly params?: Partial<ModelRequest["params"]>;
}
interface Outcome {
  readonly commands: readonly string[];
  readonly messages: readonly Message[];
  readonly requests: readonly ModelRequest[];
  readonly replies: readonly Awaited<ReturnType<Model["call"]>>[];
  /** Whether the real work was done: the right report was written and nothing wrong after it. */
  readonly solved: boolean;
  /** Tries that the service failed. */
  readonly failures: readonly ModelError[];
}

/** A conversation as the loop holds it; nothing is executed. */
export async function converse(model: Model, talk: Talk = {}, tools: readonly ToolSchema[] = [tool("bash")]): Promise<Outcome> {
  const messages: Message[] = [userMessage("Write the report."), ...(talk.context ?? []).map(userMessage)];
  const [commands, requests, replies]: [string[], ModelRequest[], Outcome["replies"][number][]] = [[], [], []];
  const failures: ModelError[] = [];
  let finishes = 0;
  for (let turn = 0; turn < 50; turn++) {
    const request: ModelRequest = { system: [], messages: [...messages], tools, params: { maxOutputTokens: 1000, ...talk.params } };
    requests.push(request);
    const reply = await answered(model, request, turn, failures);
    if (!reply) break;
    replies.push(reply);
    messages.push(reply.message);
    const nudges: string[] = [];
    for (const call of reply.calls) {
      const misnamed = call.args["command"] === undefined;
      const command = String(call.args["command"] ?? (talk.mends ? call.args["cmd"] : "misnamed"));
      const times = commands.filter((other) => other === command).length + 1;
      const denied = talk.deny?.(command, times);
      commands.push(command);
      const wrong = command === failingCommand || (misnamed && !talk.mends);
      const status: ToolStatus = denied ? "denied" : wrong ? "error" : "ok";
      const shown = denied ?? talk.output?.(command) ?? "output";
      messages.push({ role: "tool", callId: call.id, name: call.name, status, content: [{ type: "text", text: shown }] });
      const nudge = talk.nudge?.(command, times);
      if (nudge) nudges.push(nudge);
    }
    messages.push(...nudges.map(userMessage));
    if (reply.calls.length > 0) continue;
    const resume = talk.finish?.(finishes++);
    if (resume === undefined) break;
    messages.push(userMessage(resume));
  }
  const good = commands.lastIndexOf("echo good > out/report.txt");
  return { commands, messages, requests, replies, failures, solved: good >= 0 && good > commands.lastIndexOf("echo bad > out/report.txt") };
}

/** The reply after what may be tried again; undefined where trying again does not help. */
async function answered(
  model: Model,
  request: ModelRequest,
  ordinal: number,
  failures: ModelError[],
): Promise<Awaited<ReturnType<Model["call"]>> | undefined> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await model.call(request, { place: { lane: "main", ordinal, attempt }, signal: new AbortController().signal });
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      failures.push(error);
      if (!error.retryable || attempt > 5) return undefined;
    }
  }
}

/** A seed with which exactly these faults are drawn. */
export function seedWith(...wanted: Fault[]): number {
  for (let seed = 0; seed < 200_000; seed++)
    if (drawFaults(profileOf("default"), { task: "report", seed, plan }).join() === wanted.join()) return seed;
  throw new Error(`No seed draws ${wanted.join(", ")}.`);
}
export const model = (seed: number, o: { profile?: string; protocol?: "native" | "text" } = {}): Model =>
  createSimulatedModel({ plan, task: "report", seed, ...o });

/** Told at the fifth edit of the draft and at the twelfth, in one of many wordings. */
export const editNudge =
  (wording: number) =>
  (command: string): string | undefined => {
    const edit = Number(/ (\d+) > \.draft/.exec(command)?.[1] ?? 0);
    return edit === 5 || edit === 12 ? `(${wording}) You have edited ${draftFile} ${edit} times.` : undefined;
  };

/** The first of ten conversations that ends with the work done: what is heeded is drawn from the wording. */
export async function firstSolved(run: (wording: number) => Promise<Outcome>): Promise<Outcome | undefined> {
  for (let wording = 0; wording < 10; wording++) {
    const outcome = await run(wording);
    if (outcome.solved) return outcome;
  }
  return undefined;
}
