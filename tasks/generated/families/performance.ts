import type { Family } from "../family.ts";
import { bills } from "../performance/bills.ts";
import { parts } from "../performance/parts.ts";
import { readings } from "../performance/readings.ts";
import { drawSlowProgram } from "../performance/slow-program.ts";

/** Programs that are right and too slow; measured beside the given one, in processor time. */
export const performance: Family = {
  name: "performance",
  summary: "make a slow Python program at least five times faster without changing what it prints",
  split: "validation",
  tags: ["performance", "python"],
  draw: drawSlowProgram([bills, parts, readings]),
};
