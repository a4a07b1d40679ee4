import type { ConfigFile } from "../../harness/config/schema.ts";

/**
 * All tools, and the four middlewares as far as they go by facts. Grows only by what a comparison has shown to pay. Version 1.
 * Onions are listed from the outside in: the finish is judged last, effort is set next to the model.
 */
export const standard: ConfigFile = {
  tools: ["bash", "read", "write", "edit", "glob", "grep", "list_dir", "todo"],
  middleware: ["local-context", "loop-detection", "completion-gate", "reasoning-sandwich"],
  limits: { turns: 50, activeMs: 900_000 },
};
