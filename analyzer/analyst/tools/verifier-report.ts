import { z } from "zod";
import type { Tool } from "../../../harness/tools/tool.ts";
import { page } from "./page.ts";
import type { Subject } from "./subject.ts";

const parameters = z.strictObject({ offset: z.int().min(0).optional().describe("characters to leave out") });

/** What the hidden tests printed. */
export const verifierReport = ({ run }: Subject): Tool<z.infer<typeof parameters>> => ({
  name: "verifier_report",
  description: "What the hidden tests printed after the run. The agent did not see it.",
  parameters,
  readOnly: true,
  run: async ({ offset }) =>
    run.report.trim() === "" ? { status: "ok", content: [], note: "Nothing was kept." } : page(run.report, offset),
});
