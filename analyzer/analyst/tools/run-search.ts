import { z } from "zod";
import type { Tool } from "../../../harness/tools/tool.ts";
import { citable } from "../../detectors/citation.ts";
import { page, type Subject } from "./subject.ts";

const parameters = z.strictObject({ text: z.string().min(2).describe("plain text, upper and lower case alike") });
const mostHits = 40;
const around = 120;

/** Where a text occurs in the run. */
export const runSearch = ({ run }: Subject): Tool<z.infer<typeof parameters>> => ({
  name: "run_search",
  description: "Find a text in replies, calls and outputs of the run: seq and the text around each hit.",
  parameters,
  readOnly: true,
  async run({ text }) {
    const wanted = text.toLowerCase();
    const hits: string[] = [];
    for (const event of run.events) {
      for (const field of citable(event)) {
        const at = field.toLowerCase().indexOf(wanted);
        if (at >= 0)
          hits.push(`seq ${event.seq}: ${field.slice(Math.max(0, at - around), at + wanted.length + around).replaceAll(/\s+/g, " ")}`);
      }
      if (hits.length >= mostHits) break;
    }
    return hits.length === 0 ? { status: "ok", content: [], note: "It occurs nowhere." } : page(hits.slice(0, mostHits).join("\n"));
  },
});
