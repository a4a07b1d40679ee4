import type { ConfigRegistry } from "../config-registry.ts";
import type { ConfigSource } from "../config-source.ts";
import { loadConfig } from "../load-config.ts";
import type { ResolvedConfig } from "../../contract/resolved-config.ts";
import type { ConfigFile } from "../schema.ts";
import { ConfigError } from "../../errors.ts";
import { printable } from "../../text/printable.ts";
import { configRegistry } from "../../../assembly/create-bench-ports.ts";
import { chooseModel } from "./choose-model.ts";
import type { RunFlags } from "../../../cli/run/options.ts";
import { sourcesHere } from "./everyday-sources.ts";
import { terminalUser } from "../../../cli/run/terminal-user.ts";
import { trustedLoader } from "../../trust/trust-code.ts";
import { trustStore } from "../../trust/trust-store.ts";

const unnamed = "none/none";

/** The configuration here, and the sources it is made of; where none names a model, one is looked for. */
export async function everydayConfig(cwd: string, flags: RunFlags): Promise<{ config: ResolvedConfig; sources: readonly ConfigSource[] }> {
  const flagValues = configFlags(flags);
  const registry: ConfigRegistry = {
    ...configRegistry,
    loadUserMiddleware: trustedLoader({ store: trustStore(), user: terminalUser, trust: flags.trust === true }),
  };
  const load = async (extra: ConfigFile): Promise<{ config: ResolvedConfig; sources: readonly ConfigSource[] }> => {
    const sources = sourcesHere({ cwd, config: flags.config, flags: extra, defaultModel: unnamed });
    return { config: await loadConfig(sources, registry), sources };
  };
  const here = await load(flagValues);
  if (here.config.model.name !== unnamed) return here;
  const found = await chooseModel(process.env, terminalUser, new AbortController().signal);
  process.stderr.write(`model: ${printable(found.name)}${found.baseUrl === undefined ? "" : ` at ${found.baseUrl}`}\n`);
  return load({ ...flagValues, model: { ...(flagValues.model as object | undefined), ...found } });
}

function configFlags(flags: RunFlags): ConfigFile {
  const protocol = (["native", "text"] as const).find((one) => one === flags.protocol);
  if (protocol === undefined && flags.protocol !== undefined)
    throw new ConfigError(`--protocol: expected native or text, got "${flags.protocol}".`);
  const model = {
    ...(flags.model === undefined ? {} : { name: flags.model }),
    ...(flags.baseUrl === undefined ? {} : { baseUrl: flags.baseUrl }),
    ...(protocol === undefined ? {} : { protocol }),
  };
  const limits = {
    ...(flags.turns === undefined ? {} : { turns: flags.turns }),
    ...(flags.maxCost === undefined ? {} : { costUsd: flags.maxCost }),
  };
  return { ...(Object.keys(model).length > 0 ? { model } : {}), ...(Object.keys(limits).length > 0 ? { limits } : {}) };
}
