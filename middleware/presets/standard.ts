import type { ConfigFile } from "../../harness/config/schema.ts";

const tools = ["bash", "read", "write", "edit", "glob", "grep", "list_dir", "todo"];
const limits = { turns: 50, activeMs: 900_000 };

/**
 * All tools, and the four middlewares as far as they go by facts. Grows only by what a comparison has shown to pay.
 * Onions are listed from the outside in: the finish is judged last, effort is set next to the model.
 */
export const standard = {
  1: {
    tools,
    middleware: ["local-context@2", "loop-detection@1", "completion-gate@1", "reasoning-sandwich@1"],
    limits,
    loop: 1,
  },
  2: {
    tools: [...tools, "bash_output", "kill_shell"],
    middleware: ["local-context", "loop-detection", "completion-gate", "reasoning-sandwich"],
    limits,
    loop: 2,
  },
} satisfies Record<number, ConfigFile>;
