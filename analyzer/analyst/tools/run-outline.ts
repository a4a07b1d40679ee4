import { z } from "zod";
import type { Tool } from "../../../harness/tools/tool.ts";
import { outline } from "../show-run.ts";
import { page } from "./page.ts";
import type { Subject } from "./subject.ts";

const parameters = z.strictObject({ offset: z.int().min(0).optional().describe("characters to leave out") });

/** A line a step. */
export const runOutline = ({ run }: Subject): Tool<z.infer<typeof parameters>> => ({
  name: "run_outline",
  description: "All steps of the failed run, a line each: number, events (seq), tool, call, how it came back.",
  parameters,
  readOnly: true,
  run: async ({ offset }) => page(outline(run).join("\n"), offset),
});
