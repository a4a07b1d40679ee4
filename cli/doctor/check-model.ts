import { configRegistry } from "../../assembly/registry.ts";
import { sourcesHere } from "../../harness/config/everyday/everyday-sources.ts";
import { loadConfig } from "../../harness/config/load-config.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { isSimulated } from "../../harness/contract/resolved-config.ts";
import type { Model } from "../../harness/contract/ports.ts";
import { ForgeError } from "../../harness/errors.ts";
import { createModel } from "../../harness/models/create-model.ts";
import { rowOf } from "../../harness/models/families/find-row.ts";
import { findLocalServer } from "../../harness/models/providers/find-local.ts";
import { deadServer } from "../../harness/models/providers/clients/server-address.ts";
import { modelEnvironment } from "../../harness/secrets/model-environment.ts";
import { systemClock } from "../../harness/system-ports.ts";
import { lookingLoaders } from "../../harness/trust/trust-code.ts";
import { trustStore } from "../../harness/trust/trust-store.ts";
import { modelNotesOf } from "../shared/model-notes-of.ts";
import { bad, type Check, ok, split, warn } from "./check.ts";
import type { DoctorFlags } from "./options.ts";

export interface CheckedModel {
  readonly checks: readonly Check[];
  /** Left out where it cannot be called. */
  readonly callable?: { readonly config: ResolvedConfig; readonly model: Model };
}

const unnamed = "none/none";

/** The model that `forge run` would use here, or that the flags name: what is known of it, its key and its server. No code of a repository is run. */
export async function checkModel(flags: DoctorFlags, env: NodeJS.ProcessEnv): Promise<CheckedModel> {
  try {
    return await check(flags, env);
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    const { found, cure } = split(error.message);
    return { checks: [bad("model", found, cure)] };
  }
}

async function check(flags: DoctorFlags, env: NodeJS.ProcessEnv): Promise<CheckedModel> {
  const registry = { ...configRegistry, ...lookingLoaders(trustStore(), []) };
  const named = {
    ...(flags.model === undefined ? {} : { name: flags.model }),
    ...(flags.baseUrl === undefined ? {} : { baseUrl: flags.baseUrl }),
    ...(flags.price === undefined ? {} : { price: flags.price }),
  };
  const load = async (model: object) => {
    const sources = sourcesHere({ cwd: process.cwd(), config: flags.config, flags: { model }, defaultModel: unnamed });
    return { sources, config: await loadConfig(sources, registry) };
  };
  let { sources, config } = await load(named);
  if (config.model.name === unnamed) {
    const found = await findLocalServer(fetch);
    const cure = "Name one: --model anthropic/claude-sonnet-5-5, or model: provider/name in forge.yaml.";
    if (!found) return { checks: [warn("model", "none is configured, and no local server responds on ports 11434, 8080 or 1234.", cure)] };
    ({ sources, config } = await load({ ...named, name: `local/${found.model}`, baseUrl: found.baseUrl }));
  }
  const { name } = config.model;
  if (isSimulated(config))
    return { checks: [ok("model", `${name} is simulated: it plays plans of a suite's tasks, in forge bench alone`)] };
  const modelEnv = await modelEnvironment(sources, { presets: configRegistry.presets, env, say: () => undefined });
  const model = await createModel({ ...config.model, places: config.places }, modelEnv, { clock: systemClock, idleMs: 60_000 });
  const place = config.places?.["name"];
  const checks = [
    ok("model", place === undefined ? name : `${name} (${place})`),
    ...rowChecks(config, model.identity.priceTable !== null),
    ...modelNotesOf(config).map((note) => warn("effort", note)),
  ];
  const dead = await deadServer(config.model, modelEnv);
  if (dead === undefined) return { checks, callable: { config, model } };
  return { checks: [...checks, bad("server", dead, "Start it, or give another address with --base-url.")] };
}

function rowChecks({ model }: ResolvedConfig, priced: boolean): readonly Check[] {
  const row = rowOf(model.name, model.row);
  const own = `models: {${model.name}: {context: …, effort: […]}}`;
  if (row === undefined)
    return [
      warn("row", "nothing is known of this model: what is configured is sent as it is.", `Describe it with ${own} (docs/models.md).`),
    ];
  const facts = [
    ...(row.context === undefined ? [] : [`context ${row.context.toLocaleString("en")}`]),
    ...(row.output === undefined ? [] : [`longest reply ${row.output.toLocaleString("en")}`]),
    ...(row.effort === undefined ? [] : [row.effort.length === 0 ? "no effort" : `effort ${row.effort.join(" ")}`]),
    ...(row.history === undefined || row.history === "free" ? [] : [`history ${row.history}`]),
    ...(row.price === undefined || !priced ? [] : [`$${row.price.input} in, $${row.price.output} out per million`]),
  ];
  return [
    ok("row", facts.join(", ")),
    ...(priced
      ? []
      : [warn("price", "none is known, so no cost can be reported or limited.", "State it with --price in,out (USD per million tokens).")]),
  ];
}
