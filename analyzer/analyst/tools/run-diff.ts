import { z } from "zod";
import type { Tool } from "../../../harness/tools/tool.ts";
import type { AnalyzedRun } from "../../runs/analyzed-run.ts";
import { outline } from "../show-run.ts";
import { page, type Subject } from "./subject.ts";

const parameters = z.strictObject({ offset: z.int().min(0).optional().describe("characters to leave out") });

/** The run beside one of the same task that passed. */
export const runDiff = ({ run, sibling }: Subject): Tool<z.infer<typeof parameters>> => ({
  name: "run_diff",
  description:
    "Compare the failed run with one of the same task that passed: the first call that differs, and the outline of the passed one.",
  parameters,
  readOnly: true,
  async run({ offset }) {
    if (!sibling) return { status: "ok", content: [], note: "No run of this task passed." };
    const other = sibling.configuration === run.configuration ? "" : `, configuration ${sibling.configuration}`;
    return page(
      `first difference: ${firstDifference(run, sibling)}\npassed run${other} (its events cannot be cited):\n${outline(sibling, { numbered: true }).join("\n")}`,
      offset,
    );
  },
});

function firstDifference(run: AnalyzedRun, sibling: AnalyzedRun): string {
  const at = run.steps.findIndex(({ tool, command }, i) => tool !== sibling.steps[i]?.tool || command !== sibling.steps[i]?.command);
  const [own, other] = [run.steps[at], sibling.steps[at]];
  if (!own)
    return sibling.steps.length > run.steps.length ? `after step ${run.steps.length} the passed run goes on` : "none in their calls";
  return `step ${own.step}: ${own.tool} ${own.command.slice(0, 200)}\n  passed run: ${other ? `${other.tool} ${other.command.slice(0, 200)}` : "no call"}`;
}
