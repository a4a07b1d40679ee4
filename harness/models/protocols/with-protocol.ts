import type { Model } from "../../contract/ports.ts";
import { ConfigError } from "../../errors.ts";
import { withTextProtocol } from "./text.ts";

/**
 * The model as seen through a tool protocol: `native` is the provider's own tool calls, `text` is calls written in the answer.
 * Throws `ConfigError` for `grammar`, which no provider here offers.
 */
export function withProtocol(model: Model, protocol: "native" | "text" | "grammar"): Model {
  if (protocol === "native") return model;
  if (protocol === "text") return withTextProtocol(model);
  const { provider, name } = model.identity;
  throw new ConfigError(`model.protocol: grammar is not available for ${provider}/${name}; use native or text.`);
}
