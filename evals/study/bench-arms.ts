import type { MiddlewareChange } from "../../harness/config/middleware/change-middleware.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { ConfigError } from "../../harness/errors.ts";
import type { JsonObject } from "../../harness/json.ts";
import { ablation } from "./ablation.ts";
import type { Study } from "./study.ts";
import { makeArms } from "./study-arms.ts";
import { sweep } from "./sweep.ts";

/** What a person names to be measured: the options of `forge bench` of the same names. */
export interface ArmRequest {
  readonly config?: readonly string[] | undefined;
  readonly ablate?: string | undefined;
  readonly add?: boolean | undefined;
  readonly sweep?: readonly string[] | undefined;
}
/** The configuration that a file or preset is, changed. `option` names it in messages. */
type LoadArm = (config: string, change?: MiddlewareChange, option?: "--config" | "--ablate") => Promise<ResolvedConfig>;

/** What is to be measured beside each other. */
export interface BenchArms {
  readonly configurations: readonly ResolvedConfig[];
  readonly study?: Study;
  /** As the person wrote it, for `config.json`. */
  readonly asked: JsonObject;
}

/**
 * The arms that are named, or that `ablate` and `sweep` make of one configuration.
 * @throws ConfigError for options that exclude each other, and as `load` and `makeArms`
 */
export async function benchArms(asked: ArmRequest, load: LoadArm): Promise<BenchArms> {
  const { ablate, add = false, sweep: swept } = asked;
  if (ablate !== undefined && swept !== undefined)
    throw new ConfigError("--ablate and --sweep: give one of them; each makes a job of its own.");
  if (add && ablate === undefined)
    throw new ConfigError("--add belongs to --ablate CONFIG: it adds each middleware alone to that configuration.");
  const named = asked.config ?? (ablate === undefined ? ["standard"] : []);
  if (ablate === undefined && swept === undefined)
    return { configurations: await Promise.all(named.map((config) => load(config))), asked: { config: [...named] } };
  // The first configuration is swept; others stand beside its arms as they are.
  const [of = "standard", ...beside] = ablate === undefined ? named : [ablate, ...named];
  const base = await load(of, undefined, ablate === undefined ? "--config" : "--ablate");
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
