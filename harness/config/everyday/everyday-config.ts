import type { ConfigRegistry } from "../config-registry.ts";
import type { ConfigSource } from "../config-source.ts";
import { loadConfig } from "../load-config.ts";
import type { ResolvedConfig } from "../../contract/resolved-config.ts";
import type { ConfigFile } from "../schema.ts";
import type { User } from "../../contract/ports.ts";
import { chooseModel, type ChosenModel } from "./choose-model.ts";
import { sourcesHere } from "./everyday-sources.ts";

const unnamed = "none/none";

export interface EverydayRequest {
  readonly cwd: string;
  /** A file or a preset that was named for this run. */
  readonly config: string | undefined;
  /** What was set for this run alone. */
  readonly flags: ConfigFile;
  readonly registry: ConfigRegistry;
  readonly user: User;
  readonly env: NodeJS.ProcessEnv;
  /** Hears of a model that no configuration names. */
  readonly onModel: (found: ChosenModel) => void;
}

/** The configuration here, and the sources it is made of; where none names a model, one is looked for. */
export async function everydayConfig(o: EverydayRequest): Promise<{ config: ResolvedConfig; sources: readonly ConfigSource[] }> {
  const { cwd, flags, registry, user, env } = o;
  const load = async (extra: ConfigFile): Promise<{ config: ResolvedConfig; sources: readonly ConfigSource[] }> => {
    const sources = sourcesHere({ cwd, config: o.config, flags: extra, defaultModel: unnamed });
    return { config: await loadConfig(sources, registry), sources };
  };
  const here = await load(flags);
  if (here.config.model.name !== unnamed) return here;
  const found = await chooseModel(env, user, new AbortController().signal);
  o.onModel(found);
  return load({ ...flags, model: { ...(flags.model as object | undefined), ...found } });
}
