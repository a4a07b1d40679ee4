import { z } from "zod";
import { environmentBounds } from "../check/environment-bounds.ts";
import { imageNameIs, isImageName } from "../check/image-name.ts";
import { allowedHost } from "./allowed-host.ts";

const seconds = z.number().positive();
const wait = z.number().nonnegative();
const envTable = z.record(z.string(), z.string()).superRefine((table, context) => {
  for (const [name, value] of Object.entries(table)) {
    if (name === "" || /[=\0]/.test(name)) context.addIssue({ code: "custom", message: 'a table whose names have no "=" and no NUL' });
    else if (value.includes("\0")) context.addIssue({ code: "custom", path: [name], message: "text without a NUL" });
  }
});
const size = z.string().regex(/^\s*\d+(\.\d+)?\s*[GMKgmk]\s*$/, 'a size such as "512M" or "2G"');
const { cpus, memoryMb, storageMb } = environmentBounds;
const user = z.union([z.string().min(1), z.int().nonnegative()], { error: "a user's name or number" });
const serviceName = z.string().regex(/^[A-Za-z0-9][\w.-]*$/, "the name of a service of docker-compose.yaml");

/** `network_mode` and `allowed_hosts`, wherever they stand. */
const network = {
  network_mode: z.enum(["public", "no-network", "allowlist"]).optional(),
  allowed_hosts: z
    .array(z.string().refine((host) => allowedHost(host) !== undefined, "a host name, *.name, an IP address or a CIDR range"))
    .optional(),
};

const healthcheck = z.strictObject({
  command: z.string().min(1),
  interval_sec: wait.default(5),
  timeout_sec: seconds.default(30),
  start_period_sec: wait.default(0),
  start_interval_sec: wait.default(5),
  retries: z.int().positive().default(3),
});
export type HealthcheckToml = z.infer<typeof healthcheck>;

const mcpServer = z.strictObject({
  name: z.string().min(1),
  transport: z.enum(["stdio", "sse", "streamable-http", "http"]).default("sse"),
  url: z.string().min(1).optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.string()).default([]),
  headers: z.record(z.string(), z.string()).default({}),
});
export type McpServerToml = z.infer<typeof mcpServer>;

/** A list of paths or tables; a path alone is a table with nothing but its source. */
const artifact = z.preprocess(
  (value) => (typeof value === "string" ? { source: value } : value),
  z.strictObject({
    source: z.string().min(1),
    destination: z.string().optional(),
    exclude: z.array(z.string()).default([]),
    service: serviceName.optional(),
  }),
);
export type ArtifactToml = z.infer<typeof artifact>;

const environment = z.strictObject({
  build_timeout_sec: seconds.default(600),
  docker_image: z.string().refine(isImageName, imageNameIs).optional(),
  cpus: z.number().min(cpus.least).max(cpus.most).optional(),
  memory: size.optional(),
  memory_mb: z.int().min(memoryMb.least).max(memoryMb.most).optional(),
  storage: size.optional(),
  storage_mb: z.int().min(storageMb.least).max(storageMb.most).optional(),
  gpus: z.int().nonnegative().optional(),
  gpu_types: z.array(z.string()).optional(),
  tpu: z.looseObject({}).optional(),
  os: z.string().optional(),
  allow_internet: z.boolean().optional(),
  ...network,
  env: envTable.default({}),
  healthcheck: healthcheck.optional(),
  workdir: z
    .string()
    .regex(/^\/\P{Cc}*$/u, "an absolute path in the container, without control characters")
    .optional(),
  skills_dir: z.string().optional(),
  mcp_servers: z.array(mcpServer).default([]),
});
export type EnvironmentToml = z.infer<typeof environment>;

const collect = z.strictObject({
  command: z.string().min(1),
  service: serviceName.default("main"),
  timeout_sec: seconds.default(60),
  user: user.optional(),
});

const verifier = z.strictObject({
  timeout_sec: seconds.default(600),
  env: envTable.default({}),
  environment_mode: z.enum(["shared", "separate"]).optional(),
  environment: environment.optional(),
  collect: z.array(collect).default([]),
  ...network,
  user: user.optional(),
});
export type VerifierToml = z.infer<typeof verifier>;

const agent = z.strictObject({ timeout_sec: seconds.optional(), ...network, user: user.optional() });
export type AgentToml = z.infer<typeof agent>;

const step = z.strictObject({
  name: z.string().min(1),
  agent: agent.prefault({}),
  verifier: verifier.prefault({}),
  min_reward: z.union([z.number(), z.record(z.string(), z.number())], { error: "a number, or a table of numbers" }).optional(),
  healthcheck: healthcheck.optional(),
  artifacts: z.array(artifact).default([]),
});
export type StepToml = z.infer<typeof step>;

const forge = z.strictObject({
  family: z.string().optional(),
  split: z.enum(["train", "validation", "test"]).optional(),
  local: z.boolean().default(false),
  verify: z.enum(["workdir", "snapshot", "live"]).default("workdir"),
  paths: z.array(z.string().startsWith("/", "an absolute path in the container")).min(1).optional(),
  services: z.array(z.string().min(1)).min(1).optional(),
  tests: z.array(z.string().min(1)).min(1).optional(),
  /** What drew the task, where it was generated: draw it again, and compare. */
  generated: z.strictObject({ family: z.string(), level: z.string(), seed: z.int(), version: z.int() }).optional(),
});

/** `task.toml` of Harbor's format: every key that its own runner acts on, and `[metadata.forge]`, which is ours. */
export const taskToml = z.strictObject({
  version: z.string().optional(),
  schema_version: z.string().optional(),
  source: z.string().optional(),
  task: z.looseObject({ name: z.string().min(1).optional() }).prefault({}),
  metadata: z
    .looseObject({
      difficulty: z.string().optional(),
      category: z.string().optional(),
      family: z.string().optional(),
      split: z.string().optional(),
      tags: z.array(z.string()).default([]),
      forge: forge.optional(),
    })
    .prefault({}),
  verifier: verifier.prefault({}),
  agent: agent.prefault({}),
  environment: environment.prefault({}),
  solution: z.strictObject({ env: envTable.default({}) }).prefault({}),
  steps: z.array(step).optional(),
  multi_step_reward_strategy: z.enum(["mean", "final"]).optional(),
  artifacts: z.array(artifact).default([]),
});
export type TaskToml = z.infer<typeof taskToml>;
