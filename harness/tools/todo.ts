import { z } from "zod";
import type { Tool } from "./tool.ts";

const parameters = z.strictObject({
  items: z
    .array(z.strictObject({ text: z.string().min(1), status: z.enum(["pending", "in_progress", "done"]) }))
    .max(50)
    .describe("The whole list, in order; it replaces the one before."),
});

const marks = { pending: "[ ]", in_progress: "[>]", done: "[x]" } as const;

/** The agent's own list of what is to do, kept for the run. */
export const todo = (): Tool<z.infer<typeof parameters>> => ({
  name: "todo",
  description: "Keep a list of the steps of a longer task. Send the whole list each time; have one step in progress at most.",
  parameters,
  // It touches no file, but the last list counts: calls must not overtake each other.
  readOnly: false,
  async run({ items }, { memory }) {
    memory.todo = items;
    const open = items.filter((item) => item.status !== "done").length;
    const list = items.map((item) => `${marks[item.status]} ${item.text}`);
    return { status: "ok", content: [], note: [...list, open === 0 ? "Nothing is open." : `${open} of ${items.length} open.`].join("\n") };
  },
});
