import { benchSources } from "../../harness/config/config-source.ts";
import type { MiddlewareChange } from "../../harness/config/middleware/change-middleware.ts";
import { loadConfig } from "../../harness/config/load-config.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import type { ConfigFile } from "../../harness/config/schema.ts";
import { ConfigError } from "../../harness/errors.ts";
import type { JsonObject } from "../../harness/json.ts";
import { ablation } from "../../evals/study/ablation.ts";
import type { Study } from "../../evals/study/study.ts";
import { makeArms } from "../../evals/study/study-arms.ts";
import { sweep } from "../../evals/study/sweep.ts";
import { registryFor } from "../../assembly/registry.ts";
import type { BenchFlags } from "./options.ts";
import { requireOwnAddress } from "../../harness/trust/own-address.ts";
import { nobody } from "../../harness/system-ports.ts";

type ArmFlags = Pick<BenchFlags, "config" | "ablate" | "add" | "sweep" | "model" | "baseUrl" | "recorded" | "trust">;

/** What is to be measured beside each other. */
export interface BenchArms {
  readonly configurations: readonly ResolvedConfig[];
  readonly study?: Study;
  /** As the person wrote it, for `config.json`. */
  readonly asked: JsonObject;
}

/** The arms that the command names, or that `--ablate` and `--sweep` make of one configuration. */
export async function benchArms(flags: ArmFlags): Promise<BenchArms> {
  const { ablate, add = false, sweep: swept } = flags;
  if (ablate !== undefined && swept !== undefined)
    throw new ConfigError("--ablate and --sweep: give one of them; each makes a job of its own.");
  if (add && ablate === undefined)
    throw new ConfigError("--add belongs to --ablate CONFIG: it adds each middleware alone to that configuration.");
  const load = (config: string, change?: MiddlewareChange): Promise<ResolvedConfig> => configurationOf(config, flags, change);
  const named = flags.config ?? (ablate === undefined ? ["standard"] : []);
  if (ablate === undefined && swept === undefined)
    return { configurations: await Promise.all(named.map((config) => load(config))), asked: { config: [...named] } };
  // The first configuration is swept; others stand beside its arms as they are.
  const [of = "standard", ...beside] = ablate === undefined ? named : [ablate, ...named];
  const base = await configurationOf(of, flags, undefined, ablate === undefined ? "--config" : "--ablate");
  const plans = ablate === undefined ? sweep(base.name, swept ?? []) : ablation(base, { add });
  const made = await makeArms(ablate === undefined ? "sweep" : "ablation", base, plans, (change) => load(of, change));
  const others = await Promise.all(beside.map((config) => load(config)));
  const pairs = [...made.study.pairs, ...others.map(({ name }): [string, string] => [base.name, name])];
  return {
    configurations: [...made.configurations, ...others],
    study: { ...made.study, pairs },
    asked: { config: [...named], ...(ablate === undefined ? { sweep: [...(swept ?? [])] } : { ablate, ...(add ? { add } : {}) }) },
  };
}

async function configurationOf(
  config: string,
  flags: ArmFlags,
  change?: MiddlewareChange,
  option: "--config" | "--ablate" = "--config",
): Promise<ResolvedConfig> {
  const model = {
    ...(flags.model === undefined ? {} : { name: flags.model }),
    ...(flags.baseUrl === undefined ? {} : { baseUrl: flags.baseUrl }),
  };
  const values: ConfigFile = Object.keys(model).length > 0 ? { model } : {};
  const recorded = flags.recorded?.includes(config) === true;
  const sources = benchSources({
    config,
    option,
    cwd: process.cwd(),
    owner: recorded ? "repository" : "user",
    flags: values,
    defaultModel: "sim/default",
  });
  const found = await loadConfig(sources, registryFor({ user: nobody, trust: flags.trust === true }), change);
  if (recorded && flags.baseUrl === undefined) requireOwnAddress(found.model.baseUrl, `configuration ${config}`);
  return found;
}
