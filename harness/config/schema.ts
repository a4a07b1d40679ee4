import { z } from "zod";
import { agentWires } from "../contract/resolved-config.ts";
import { effortSchema, modelRowSchema } from "../contract/model-row.ts";

/** The shape of `forge.yaml` and of any file given to `--config`. Unknown keys are errors. Types are inferred from here. */
const protocolSchema = z.enum(["native", "text", "grammar"]);

export const modelSettingsSchema = z.strictObject({
  name: z.string().min(1).describe("provider/name, such as anthropic/claude-sonnet-5-5, openai/qwen, sim/default"),
  protocol: protocolSchema.optional(),
  effort: effortSchema.optional(),
  temperature: z.number().min(0).max(2).nullable().optional().describe("null: not sent, whatever a configuration below this one sets"),
  topP: z.number().gt(0).max(1).nullable().optional().describe("null: not sent, as for temperature"),
  maxOutputTokens: z.int().min(1).optional(),
  contextTokens: z.int().min(256).optional(),
  baseUrl: z.url().optional().describe("of a compatible server; not part of any hash"),
  extra: z.record(z.string(), z.json()).optional(),
  price: z
    .strictObject({ input: z.number().min(0), output: z.number().min(0) })
    .optional()
    .describe("USD per million tokens; part of no hash"),
  row: modelRowSchema.optional().describe("what is known of this model, over Forge's table and `models`"),
});

const limitsSchema = z.strictObject({
  turns: z.int().min(1).optional(),
  tokens: z.int().min(1).optional(),
  costUsd: z.number().positive().optional(),
  activeMs: z.int().min(1).optional(),
});

const middlewareEntrySchema = z.union([z.string().min(1), z.looseObject({ name: z.string().min(1), off: z.boolean().optional() })]);

const agentSchema = z.union([
  z.string().min(1),
  z.strictObject({
    command: z.string().min(1).describe("run with sh in the task's sandbox; the instruction comes on standard input"),
    install: z
      .string()
      .min(1)
      .optional()
      .describe("run once, with a network, in a container of its own; what it leaves in $FORGE_LAYER is there in each trial, read-only"),
    wire: z.enum(agentWires),
  }),
]);

const mcpEntrySchema = z.strictObject({
  command: z.string().min(1).optional().describe("a program on this machine, reached by its standard input and output"),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional().describe("of the program; ${NAME} is a variable of your environment"),
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("of a server that is reached by HTTP"),
  headers: z.record(z.string(), z.string()).optional().describe("as env"),
  transport: z.enum(["http", "sse"]).optional().describe("with url; default http"),
  tools: z.array(z.string().min(1)).min(1).optional().describe("those of its tools that the agent has; default all"),
  timeoutMs: z.int().min(1).max(600_000).optional().describe("of one call; its start has 60,000, or this where it is more"),
  off: z.boolean().optional(),
});
export type McpEntry = z.infer<typeof mcpEntrySchema>;

export const configSchema = z.strictObject({
  name: z
    .string()
    .refine((name) => /^\w[\w .@+=-]{0,59}$/.test(name), "expected letters, digits, spaces and . @ + = - _, at most 60")
    .optional()
    .describe("what tables call it; part of no hash. Left out: the file's name"),
  extends: z.string().min(1).optional(),
  model: z.union([z.string().min(1), modelSettingsSchema.partial()]).optional(),
  models: z.record(z.string(), modelRowSchema).optional().describe("rows of models by provider/name, over Forge's table: docs/models.md"),
  tools: z.array(z.string().min(1)).optional(),
  mcp: z.record(z.string(), mcpEntrySchema).optional().describe("MCP servers by name, outside of the sandbox: docs/tools.md"),
  middleware: z.array(middlewareEntrySchema).optional(),
  limits: limitsSchema.optional(),
  loop: z
    .union([z.literal(1), z.literal(2)])
    .optional()
    .describe("version of the loop and its prompt; default the newest. Part of the harness hash where it is not 1"),
  snapshots: z.boolean().optional().describe("record what the workdir is after each call that may write; part of no hash"),
  prompt: z.record(z.string(), z.string()).optional(),
  agent: agentSchema.optional().describe("another agent in place of Forge's own: docs/agents.md"),
  files: z
    .record(z.string().min(1), z.string().min(1))
    .optional()
    .describe("of that agent: path in the workdir, or ~/path in its home → file or folder here"),
  env: z
    .record(z.string().regex(/^[A-Za-z_]\w*$/), z.string())
    .optional()
    .describe("of that agent"),
  args: z.array(z.string()).optional().describe("of that agent: arguments after its command"),
});
export type ConfigFile = z.infer<typeof configSchema>;
export type ModelSettings = z.infer<typeof modelSettingsSchema>;
