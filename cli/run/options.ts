import type { ConfigFile } from "../../harness/config/schema.ts";
import { ConfigError } from "../../harness/errors.ts";

export interface RunFlags {
  readonly config?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly protocol?: string;
  readonly turns?: number;
  readonly maxCost?: number;
  readonly sandbox?: string;
  readonly yes?: boolean;
  readonly trust?: boolean;
  readonly json?: boolean;
  readonly jsonStream?: boolean;
}

/** What the flags set of a configuration. */
export function configOfFlags(flags: RunFlags): ConfigFile {
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
