import { z } from "zod";
import type { ToolCall, ToolReply } from "../harness/contract/messages.ts";
import { middleware, type Run } from "../harness/contract/middleware.ts";
import { firstSignatures, secondSignatures, type Signatures } from "./loop-detection/call-signature.ts";
import { cycleRounds, failuresInARow, identicalInARow } from "./loop-detection/count-repeats.ts";
import { createHistory, recordsBefore, refusalsInARow, type Executed, type ExecutedSinceCheck } from "./loop-detection/history.ts";
import * as prompt from "./loop-detection/prompt.ts";

const name = "loop-detection";
const threshold = (least: number) => z.union([z.literal(0), z.int().min(least).max(100)]);

const options = z
  .strictObject({
    fileSoft: threshold(2).default(5).describe("edits of one file since the last passing check before a nudge; 0: never"),
    fileHard: threshold(2)
      .default(12)
      .describe(
        "edits of one file since the last passing check before it is asked to change its approach, and again after as many more; 0: never",
      ),
    repeatWarn: threshold(2)
      .default(3)
      .describe("identical calls with the same result, or rounds of a short cycle, before a warning; 0: never"),
    repeatBlock: threshold(2).default(4).describe("the identical call, or round of the cycle, that is refused; 0: never"),
    window: z.int().min(2).max(100).default(8).describe("calls looked back over for identical ones"),
    cycle: z
      .union([z.literal(false), z.strictObject({ min: z.int().min(2).max(10), max: z.int().min(2).max(10) })])
      .default({ min: 2, max: 5 })
      .describe("lengths of the cycles looked for, in calls; false: none"),
    sameError: threshold(2)
      .default(2)
      .describe("times the same error comes up before a warning; the identical call is refused after as many failures in a row; 0: never"),
    exempt: z
      .array(z.string().min(1))
      .max(50)
      .default(["bash_output", "kill_shell", "todo"])
      .describe("tools that may repeat, for polling; waiting commands (sleep, wait) always may"),
  })
  .refine((o) => o.fileSoft === 0 || o.fileHard === 0 || o.fileSoft < o.fileHard, {
    path: ["fileHard"],
    error: "expected more than fileSoft",
  })
  .refine((o) => o.repeatWarn === 0 || o.repeatBlock === 0 || o.repeatWarn < o.repeatBlock, {
    path: ["repeatBlock"],
    error: "expected more than repeatWarn",
  })
  .refine((o) => o.cycle === false || o.cycle.min <= o.cycle.max, { path: ["cycle", "max"], error: "expected at least cycle.min" })
  .describe(
    "Notices when the model goes round in circles: edits one file again and again, makes the identical call, repeats a short cycle of calls, or meets the same error again. It sends one message; what continues after that is refused, that one call only. A passing check sets every count back, and a refused call is let through again after repeatBlock refusals in a row.",
  );

type Options = z.infer<typeof options>;

/** Source: LangChain, "Improving Deep Agents with harness engineering" (2026), `LoopDetectionMiddleware`, for the edits; the rest is ours. */
const loopDetectionOf = (version: string, signatures: Signatures) => {
  const eyes: Eyes = { signatures, since: createHistory(signatures) };
  return middleware(name, version, options, (o) => ({
    async tool(call, next, run) {
      const refused = refusal(call, run, o, eyes);
      if (refused) return refused;
      const reply = await next(call);
      warn(call, run, o, eyes);
      return reply;
    },
  }));
};

export const loopDetection1 = loopDetectionOf("1", firstSignatures);
/** Compares what tests mean. */
export const loopDetection = loopDetectionOf("2", secondSignatures);

/** What counts as the same, and what was done since a check passed. */
interface Eyes {
  readonly signatures: Signatures;
  readonly since: ExecutedSinceCheck;
}

/** The answer in place of a call that has been made too often, or undefined. */
function refusal(call: ToolCall, run: Run, o: Options, { signatures, since }: Eyes): ToolReply | undefined {
  if (isPolling(call, o.exempt)) return undefined;
  const records = recordsBefore(run.log, call);
  const done = since(records);
  const signature = signatures.call(call);
  const why = tooOften(done, signature, o);
  if (why === undefined) return undefined;
  const most = Math.max(o.repeatBlock, 2);
  if (refusalsInARow(records, signature, signatures.call) >= most) {
    run.intervene("let a repeated call through", `refused ${most} times in a row`);
    return undefined;
  }
  run.intervene("refused a repeated call", why);
  return { status: "denied", content: [{ type: "text", text: prompt.refused(why) }], effects: { edited: [] }, error: "repeated" };
}

function tooOften(done: readonly Executed[], signature: string, o: Options): string | undefined {
  const failures = failuresInARow(done, signature);
  if (o.sameError > 0 && failures >= o.sameError) return prompt.failing(failures);
  const cycle = cycleRounds(done, signature, o.cycle);
  if (cycle)
    return o.repeatBlock > 0 && cycle.closes && cycle.rounds >= o.repeatBlock ? prompt.cycle(cycle.length, cycle.rounds - 1) : undefined;
  const times = identicalInARow(done, signature, o.window);
  if (o.repeatBlock > 0 && times + 1 >= o.repeatBlock) return prompt.identical(times);
  return undefined;
}

/** After a call: what it says about files edited too often, and at most one thing about repetition. */
function warn(call: ToolCall, run: Run, o: Options, { signatures, since }: Eyes): void {
  const records = recordsBefore(run.log, call, "and itself");
  const done = since(records);
  const last = done.at(-1);
  if (!last || !records.at(-1)?.result) return; // its check passed, or another middleware refused it
  const before = done.slice(0, -1);
  for (const path of last.edited) {
    const edits = done.filter((one) => one.edited.includes(path)).length;
    if (o.fileHard > 0 && edits % o.fileHard === 0) run.inject(prompt.pivot(path, edits), `${edits} edits of ${path}`);
    else if (edits === o.fileSoft) run.inject(prompt.nudge(path, edits), `${edits} edits of ${path}`);
  }
  if (isPolling(call, o.exempt)) return;
  const cycle = cycleRounds(before, last.signature, o.cycle);
  const inCycle = cycle !== undefined && before.at(-cycle.length)?.answer === last.answer;
  const times = identicalInARow(done, last.signature, o.window);
  const found = inCycle
    ? cycle.closes && cycle.rounds === o.repeatWarn && prompt.cycle(cycle.length, cycle.rounds)
    : times > 0 && times === o.repeatWarn && prompt.identical(times);
  if (found) return run.inject(prompt.warning(found), found);
  const error = signatures.error(last.reply);
  const met = error === undefined ? 0 : done.filter((one) => signatures.error(one.reply) === error).length;
  if (met > 0 && met === o.sameError) run.inject(prompt.sameError(met), `the same error ${met} times`);
}

/** Waiting for something is asking the same again and again. */
function isPolling(call: ToolCall, exempt: readonly string[]): boolean {
  const { command } = call.args;
  return exempt.includes(call.name) || (typeof command === "string" && /(?:^|[\n;&|]|\bdo)\s*(?:sleep|wait)\b/.test(command));
}
