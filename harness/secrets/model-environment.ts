import type { ConfigSource } from "../config/config-source.ts";
import type { ConfigRegistry } from "../config/config-registry.ts";
import { stackSources } from "../config/stack/stack-sources.ts";
import { printable } from "../text/printable.ts";

/** Keys, and what the clouds' SDKs find credentials by. */
const isCredential = /_?API_KEY$|^AWS_|^GOOGLE_APPLICATION_CREDENTIALS$|^METADATA_SERVER_DETECTION$/;

/**
 * The environment for the model. A repository may name any address as `model.baseUrl`: keys go only to one that the user gave, on the command line,
 * in `--config` or in `~/.forge`. `say` is told when they are held back.
 */
export async function modelEnvironment(
  sources: readonly ConfigSource[],
  o: { presets: ConfigRegistry["presets"]; env: NodeJS.ProcessEnv; say: (line: string) => void },
): Promise<NodeJS.ProcessEnv> {
  const baseUrl = (await stackSources(sources, { presets: o.presets })).model.get("baseUrl");
  if (baseUrl?.from.owner !== "repository") return o.env;
  const from = printable(baseUrl.from.place(baseUrl.path));
  o.say(`model.baseUrl comes from ${from}, a file of this repository: no key is sent there. Give --base-url to send one.`);
  return Object.fromEntries(Object.entries(o.env).filter(([name]) => !isCredential.test(name)));
}
