import { z } from "zod";
import { middleware } from "../../../harness/contract/middleware.ts";
import { createSystemPrompt } from "../../../harness/agent/prompts/system.ts";
import type { ConfigRegistry } from "../../../harness/config/config-registry.ts";
import { loadUserMiddleware } from "../../../harness/config/middleware/load-user-middleware.ts";
import { loadUserTool } from "../../../harness/config/tools/load-user-tool.ts";

const schema = (name: string) => ({ name, description: `Does ${name}.`, parameters: { type: "object" } });

/** A registry as `cli` wires it, with small presets and middlewares. */
export const registry: ConfigRegistry = {
  presets: {
    bare: { tools: ["bash"] },
    standard: { extends: "bare", tools: ["bash", "read", "edit"], middleware: ["local-context", "completion-gate", "loop-detection"] },
    "small-model": { extends: "standard", model: { protocol: "text" } },
    round: { extends: "trip" },
    trip: { extends: "round" },
  },
  middleware: {
    "local-context": middleware("local-context", "1", z.strictObject({ depth: z.int().min(1).default(3) }), () => ({})),
    "completion-gate": middleware(
      "completion-gate",
      "2",
      z.strictObject({
        mode: z.enum(["evidence", "checklist", "off"]).default("evidence"),
        items: z.array(z.string()).default(["read it all"]),
      }),
      () => ({}),
    ),
    "loop-detection": middleware(
      "loop-detection",
      "1",
      z.strictObject({ fileSoft: z.int().min(1).default(5), share: z.number().min(0).max(1).default(0.5) }),
      () => ({}),
    ),
    required: middleware("required", "1", z.strictObject({ must: z.string(), may: z.int().default(1) }), () => ({})),
    odd: middleware(
      "odd",
      "1",
      z.strictObject({
        pattern: z
          .string()
          .default("x")
          .transform((text) => new RegExp(text)),
      }),
      () => ({}),
    ),
  },
  tools: { names: ["bash", "read", "edit"], schemas: (names) => names.map(schema) },
  loadUserMiddleware,
  loadUserTool,
  trustServer: async () => undefined,
  basePrompt: createSystemPrompt,
};
