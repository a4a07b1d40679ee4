import { z } from "zod";

const scalar = z.union([z.string(), z.number(), z.boolean()], { error: "text, a number, true or false" }).transform(String);
const texts = z.union([z.array(scalar), scalar.transform((one) => [one])], { error: "text, or a list of texts" });
const words = z.union([z.string(), z.array(scalar)], { error: "a command as text or as a list" });
/** A table, or a list of `KEY=value`. A key without a value would take it from the runner's machine. */
const pairs = z.union([z.record(z.string(), scalar.nullable()), z.array(scalar)], { error: "a table, or a list of KEY=value" });
const flag = z.union([z.boolean(), z.enum(["true", "false", ""]).transform((text) => text === "true")], { error: "true or false" });
const amount = z.union([z.number(), z.string().regex(/^\s*(\d+(\.\d+)?\s*([kmg]i?b?|b)?)?\s*$/i)], {
  error: 'a size such as "512m" or 2g',
});
const count = z.union([z.number(), z.string().regex(/^\s*(\d+(\.\d+)?)?\s*$/)], { error: "a number" });
const span = z.union([z.number(), z.string().regex(/^\s*(\d+(\.\d+)?(us|ms|s|m|h))*\s*$/)], { error: 'a time such as "5s" or "1m30s"' });

const build = z.union(
  [
    z.string(),
    z.looseObject({
      context: z.string().default("."),
      dockerfile: z.string().optional(),
      target: z.string().optional(),
      args: pairs.optional(),
    }),
  ],
  { error: "a folder, or a table with its context" },
);

const healthcheck = z.looseObject({
  test: words.optional(),
  interval: span.optional(),
  timeout: span.optional(),
  start_period: span.optional(),
  retries: count.optional(),
  disable: flag.optional(),
});

const volume = z.union(
  [
    z.string(),
    z.looseObject({
      type: z.string(),
      source: z.string().optional(),
      target: z.string(),
      read_only: flag.optional(),
      bind: z.looseObject({ create_host_path: flag.optional() }).optional(),
    }),
  ],
  { error: "name:/path, or a table" },
);

const dependsOn = z.union(
  [
    z.array(z.string()),
    z.record(z.string(), z.looseObject({ condition: z.string().default("service_started"), required: flag.default(true) }).nullable()),
  ],
  { error: "a list of services, or a table" },
);

/** One service, as far as Forge reads it. Keys beside these are sorted by `service-keys.ts`. */
export const serviceSchema = z.looseObject({
  build: build.optional(),
  image: z.string().optional(),
  command: words.nullish(),
  entrypoint: words.nullish(),
  environment: pairs.nullish(),
  env_file: z.unknown().optional(),
  working_dir: z.string().optional(),
  user: scalar.optional(),
  hostname: z.string().optional(),
  container_name: z.string().optional(),
  healthcheck: healthcheck.nullish(),
  depends_on: dependsOn.nullish(),
  networks: z
    .union([z.array(z.string()), z.record(z.string(), z.looseObject({ aliases: z.array(z.string()).default([]) }).nullable())], {
      error: "a list of networks, or a table",
    })
    .nullish(),
  network_mode: z.string().optional(),
  volumes: z.array(volume).nullish(),
  tmpfs: texts.nullish(),
  cpus: count.optional(),
  mem_limit: amount.optional(),
  pids_limit: count.optional(),
  shm_size: amount.optional(),
  deploy: z
    .looseObject({
      replicas: count.optional(),
      resources: z
        .looseObject({
          limits: z.looseObject({ cpus: count.optional(), memory: amount.optional(), pids: count.optional() }).nullish(),
          reservations: z.looseObject({ devices: z.unknown().optional() }).nullish(),
        })
        .nullish(),
    })
    .nullish(),
  read_only: flag.default(false),
  init: flag.default(false),
  tty: flag.default(false),
  restart: z.string().optional(),
  cap_add: z.array(z.string()).nullish(),
  cap_drop: z.array(z.string()).nullish(),
  security_opt: z.array(z.string()).nullish(),
  platform: z.string().optional(),
  extra_hosts: z.union([z.array(z.string()), z.record(z.string(), texts)], { error: "a list of name:address, or a table" }).nullish(),
  dns: texts.nullish(),
  dns_search: texts.nullish(),
  dns_opt: texts.nullish(),
  ulimits: z
    .record(z.string(), z.union([count, z.looseObject({ soft: count, hard: count })], { error: "a number, or soft and hard" }))
    .nullish(),
  group_add: z.array(scalar).nullish(),
  profiles: z.array(z.string()).nullish(),
});
export type ServiceData = z.infer<typeof serviceSchema>;

export const composeSchema = z.looseObject({
  services: z.record(z.string(), z.looseObject({}).nullable()),
  networks: z.record(z.string(), z.looseObject({ external: z.unknown().optional(), internal: flag.default(false) }).nullable()).nullish(),
  volumes: z
    .record(z.string(), z.looseObject({ external: z.unknown().optional(), driver_opts: z.unknown().optional() }).nullable())
    .nullish(),
});
