import type { Plan } from "../../harness/models/simulated/plan.ts";

type Call = Plan["steps"][number]["calls"][number];

/** A bash call of a plan. */
export const bash = (command: string): Call => ({ tool: "bash", args: { command } });
