import { z } from "zod";
import type { Tool } from "../../../harness/tools/tool.ts";
import { outline } from "../show-run.ts";
import { page, type Subject } from "./subject.ts";

const parameters = z.strictObject({ offset: z.int().min(0).optional().describe("characters to leave out") });

/** A tool that shows one text of the run from its beginning on. */
const showing = (name: string, description: string, text: () => string): Tool<z.infer<typeof parameters>> => ({
  name,
  description,
  parameters,
  readOnly: true,
  run: async ({ offset }) => (text().trim() === "" ? { status: "ok", content: [], note: "Nothing was kept." } : page(text(), offset)),
});

/** A line a step. */
export const runOutline = ({ run }: Subject): Tool =>
  showing("run_outline", "All steps of the failed run, a line each: number, events (seq), tool, call, how it came back.", () =>
    outline(run, { numbered: true }).join("\n"),
  );

/** What the hidden tests printed. */
export const verifierReport = ({ run }: Subject): Tool =>
  showing("verifier_report", "What the hidden tests printed after the run. The agent did not see it.", () => run.report);
