import type { ConfigFile } from "../../harness/config/schema.ts";

/**
 * The four middlewares as they were published: a snapshot of the folder at the start, a checklist once before the end, a nudge when one file
 * has been edited often, and effort by phase. Without what Forge adds to them (facts instead of questions, repeated calls and errors). Version 1.
 * Source: LangChain, "Improving Deep Agents with harness engineering" (2026).
 */
export const article: ConfigFile = {
  tools: ["bash", "read", "write", "edit", "glob", "grep", "list_dir", "todo"],
  middleware: [
    "local-context",
    { name: "loop-detection", fileHard: 0, repeatWarn: 0, repeatBlock: 0, cycle: false, sameError: 0 },
    { name: "completion-gate", mode: "checklist" },
    "reasoning-sandwich",
  ],
  limits: { turns: 50, activeMs: 900_000 },
};
