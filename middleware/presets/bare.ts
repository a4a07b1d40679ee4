import type { ConfigFile } from "../../harness/config/schema.ts";

const limits = { turns: 50, activeMs: 900_000 };

/** The model, a shell and nothing else: what every other configuration is measured against. */
export const bare = {
  1: { tools: ["bash"], middleware: [], limits, loop: 1 },
  2: { tools: ["bash"], middleware: [], limits, loop: 2 },
} satisfies Record<number, ConfigFile>;
