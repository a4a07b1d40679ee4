import { createTwoFilesPatch } from "diff";
import { textOf, type ReExecuted } from "../../traces/replay/tools/re-execute.ts";
import { plural } from "../text/format.ts";

const longest = 2_000;

/** A step whose result was another one this time, with the difference. `expected`: see `reExecute`. */
export function describeStep(step: ReExecuted, expected: (text: string) => string): string {
  const { call, reply, now } = step;
  const args = JSON.stringify(call.args);
  const head = `step ${step.step}, ${call.name} ${args.length > 120 ? `${args.slice(0, 120)}…` : args}: another result than recorded`;
  const status = reply && reply.status !== now.status ? [`  ${reply.status} → ${now.status}`] : [];
  const patch = createTwoFilesPatch("recorded", "now", expected(textOf(reply?.content ?? [])), textOf(now.content), "", "", { context: 1 });
  const lines = patch.split("\n").slice(4).join("\n");
  return [head, ...status, lines.length > longest ? `${lines.slice(0, longest)}\n…` : lines.trimEnd()].join("\n");
}

/** What was done, in one line. */
export function describeSteps(steps: readonly ReExecuted[], o: { readonly asked: number; readonly byMiddleware: number }): string {
  const differ = steps.filter(({ same }) => !same).length;
  const parts = [
    `${plural(steps.length, "recorded call")} carried out again, ${differ === 0 ? "all as recorded" : `${differ} with another result`}`,
    ...(steps.length < o.asked ? [`${o.asked - steps.length} left out, in which the run had ended`] : []),
    ...(o.byMiddleware > 0 ? [`${plural(o.byMiddleware, "question")} of middleware not repeated: only digests are recorded`] : []),
  ];
  return `${parts.join("; ")}.`;
}
