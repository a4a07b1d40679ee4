import type { ConfigFile } from "../../harness/config/schema.ts";

/** The model, a shell and nothing else: what every other configuration is measured against. Version 1. */
export const bare: ConfigFile = {
  tools: ["bash"],
  middleware: [],
  limits: { turns: 50, activeMs: 900_000 },
};
