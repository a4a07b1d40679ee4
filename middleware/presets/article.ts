import type { ConfigFile } from "../../harness/config/schema.ts";

const tools = ["bash", "read", "write", "edit", "glob", "grep", "list_dir", "todo"];
const limits = { turns: 50, activeMs: 900_000 };
const onlyEdits = { fileHard: 0, repeatWarn: 0, repeatBlock: 0, cycle: false, sameError: 0 };

/**
 * The four middlewares as they were published: a snapshot of the folder at the start, a checklist once before the end, a nudge when one file
 * has been edited often, and effort by phase. Without what Forge adds to them (facts instead of questions, repeated calls and errors).
 * Source: LangChain, "Improving Deep Agents with harness engineering" (2026).
 */
export const article = {
  1: {
    tools,
    middleware: [
      "local-context@2",
      { name: "loop-detection@1", ...onlyEdits },
      { name: "completion-gate@1", mode: "checklist" },
      "reasoning-sandwich@1",
    ],
    limits,
    loop: 1,
  },
  2: {
    tools: [...tools, "bash_output", "kill_shell"],
    middleware: [
      "local-context",
      { name: "loop-detection", ...onlyEdits },
      { name: "completion-gate", mode: "checklist" },
      "reasoning-sandwich",
    ],
    limits,
    loop: 2,
  },
} satisfies Record<number, ConfigFile>;
