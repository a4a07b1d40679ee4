import { z } from "zod";
import type { Tool } from "../../../harness/tools/tool.ts";
import { citable } from "../../detectors/citation.ts";
import { stepNumbers, stepText } from "../show-run.ts";
import { cannot, page, type Subject } from "./subject.ts";

const parameters = z.strictObject({
  step: z.int().optional().describe("a step: what the model said, its call, what came back"),
  seq: z.int().min(0).optional().describe("one event alone, in full"),
  offset: z.int().min(0).optional().describe("characters to leave out"),
});

const most = 1_000_000;

/** A step or an event in full. */
export const runRead = ({ run }: Subject): Tool<z.infer<typeof parameters>> => ({
  name: "run_read",
  description: "Read a step, or one event by its seq, in full. Quotes are copied from what this shows.",
  parameters,
  readOnly: true,
  async run({ step, seq, offset }) {
    if (seq !== undefined) {
      const event = run.events[seq];
      const texts = event ? citable(event) : [];
      if (!event) return cannot("no_event", `There is no event ${seq}; the last one is ${run.events.length - 1}.`);
      return texts.length === 0
        ? cannot("no_text", `Event ${seq} (${event.t}) has no text that can be cited.`)
        : page(texts.join("\n"), offset);
    }
    if (step === undefined) return cannot("bad_arguments", "Give step or seq.");
    const text = stepText(run, step, most);
    if (text !== undefined) return page(text, offset);
    const numbers = stepNumbers(run);
    return cannot("no_step", `There is no step ${step}; steps go from ${numbers[0] ?? 0} to ${numbers.at(-1) ?? 0}.`);
  },
});
