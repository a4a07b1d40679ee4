import { z } from "zod";
import { textOf } from "../harness/contract/messages.ts";
import { middleware, type Run } from "../harness/contract/middleware.ts";
import { claimedFiles } from "./completion-gate/claimed-files.ts";
import { announcesNextStep } from "./completion-gate/intention.ts";
import { missingFiles } from "./completion-gate/missing-files.ts";
import * as prompt from "./completion-gate/prompt.ts";
import { requestedFiles } from "./completion-gate/requested-files.ts";
import { unverifiedWork } from "./completion-gate/unverified-work.ts";

const name = "completion-gate";

const options = z
  .strictObject({
    mode: z
      .enum(["evidence", "checklist", "off"])
      .default("evidence")
      .describe("evidence: refuses a finish that the facts speak against; checklist: asks the questions once; off: does nothing"),
    maxBlocks: z.int().min(1).max(10).default(2).describe("finishes refused at most in one run; the one after that goes through"),
    items: z
      .array(z.string().min(1))
      .min(1)
      .max(20)
      .default([...prompt.questions])
      .describe("the questions of mode checklist"),
    requirePassAfterLastEdit: z
      .boolean()
      .default(true)
      .describe("mode evidence: something must have been run after the last edit, and the check again where the run used one"),
    claimCheck: z.boolean().default(true).describe("mode evidence: files that the answer claims were written must exist"),
  })
  .describe(
    "Looks at the work when the model wants to finish, and sends it back when the facts speak against it: nothing run since the last edit, the last check failed, a file that the task requires or the answer claims is missing, or the answer ends on what it will do next. Every finish is judged afresh, up to maxBlocks refusals.",
  );
type Options = z.infer<typeof options>;

/** Source of mode checklist: LangChain, "Improving Deep Agents with harness engineering" (2026), `PreCompletionChecklistMiddleware`. */
const completionGateOf = (version: string, facts: Facts) =>
  middleware(name, version, options, (o) => ({
    async finish(run) {
      const blocks = run.log.interventions.filter((one) => one.middleware === name && one.change === "resume").length;
      if (o.mode === "off" || blocks >= (o.mode === "checklist" ? 1 : o.maxBlocks)) return undefined;
      if (o.mode === "checklist") return { message: prompt.checklist(o.items), why: "checklist" };
      const found = await findings(run, o, facts);
      return found.length === 0 ? undefined : { message: prompt.refusal(found), why: found.join(" ") };
    },
  }));

/** A check whose result is hidden counts as failed. */
export const completionGate1 = completionGateOf("1", { unknownFails: true });
/** A check whose result is hidden is asked for again, with the reason. */
export const completionGate = completionGateOf("2", { unknownFails: false });

interface Facts {
  readonly unknownFails: boolean;
}

/** What speaks against being done, one sentence each, the plainest first. */
async function findings(run: Run, o: Options, facts: Facts): Promise<string[]> {
  const answer = textOf(run.log.turns.at(-1)?.reply.message.content ?? []);
  const requested = requestedFiles(run.task);
  const claimed = o.claimCheck ? claimedFiles(answer).filter((path) => !requested.includes(path)) : [];
  const canRun = run.config.tools.some((tool) => tool.name === "bash");
  const work = unverifiedWork(run.log.calls, { ...facts, afterLastEdit: o.requirePassAfterLastEdit && canRun });
  const missing = await missingFiles(run, [...requested, ...claimed, ...work.unproven]);
  const there = work.unproven.filter((path) => !missing.has(path));
  return [
    ...(announcesNextStep(answer) ? [prompt.intention] : []),
    ...requested.filter((path) => missing.has(path)).map(prompt.requestedMissing),
    ...claimed.filter((path) => missing.has(path)).map(prompt.claimedMissing),
    ...(work.failedCheck === undefined ? [] : [prompt.checkFailed(work.failedCheck)]),
    ...(work.unknownCheck === undefined ? [] : [prompt.checkUnknown(work.unknownCheck)]),
    ...(work.staleCheck === undefined ? [] : [prompt.checkStale(work.staleCheck)]),
    ...(there.length > 0 && work.staleCheck === undefined && work.failedCheck === undefined ? [prompt.nothingRun(there)] : []),
  ].slice(0, 4);
}
