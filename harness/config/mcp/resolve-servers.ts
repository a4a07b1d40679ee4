import type { ConfiguredServer } from "../../contract/resolved-config.ts";
import { ConfigError } from "../../errors.ts";
import { variable } from "../../extensions/mcp/configured-servers.ts";
import { canonicalJson } from "../../hash/canonical-json.ts";
import { sha256 } from "../../hash/sha256.ts";
import { lookingLikeSecrets } from "../../secrets/redact-text.ts";
import { urlCredentials } from "../../secrets/url-credentials.ts";
import type { ConfigRegistry } from "../config-registry.ts";
import { keyPath } from "../read/describe-issue.ts";
import type { McpEntry } from "../schema.ts";
import type { Placed, Stack } from "../stack/stack-config.ts";

/** The servers that a configuration names, in its order. Throws `ConfigError` with the place of what is wrong, or is not trusted. */
export async function resolveServers(
  { mcp }: Pick<Stack, "mcp">,
  registry: Pick<ConfigRegistry, "trustServer">,
): Promise<readonly ConfiguredServer[]> {
  const servers: ConfiguredServer[] = [];
  for (const [name, placed] of mcp) {
    if (placed.value.off === true) continue;
    const server = serverOf(name, placed);
    const { from, path } = placed;
    await registry.trustServer({ path: `${from.place(path)} ${keyPath(path)}`, hash: serverHash(server), server }, from.owner);
    servers.push(server);
  }
  return servers;
}

/** Over what makes a server the same: how it is started or reached, and with which variables. */
const serverHash = ({ folder: _, ...server }: ConfiguredServer): string => sha256(canonicalJson(server));

function serverOf(name: string, { value, from, path }: Placed<McpEntry>): ConfiguredServer {
  const wrong = (key: string, what: string): ConfigError =>
    new ConfigError(`${keyPath(key === "" ? path : [...path, ...key.split(".")])}: ${what} (${from.place(path)})`);
  const { command, args = [], env = {}, url, headers = {}, transport, tools, timeoutMs } = value;
  if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,29}$/.test(name))
    throw wrong("", `expected a name of letters, digits and hyphens, at most 30, got ${JSON.stringify(name)}`);
  if ((command === undefined) === (url === undefined))
    throw wrong("", `expected either "command", a program reached by its standard input and output, or "url", a server reached by HTTP`);
  const misplaced = (command === undefined ? (["args", "env"] as const) : (["headers", "transport"] as const)).find(
    (key) => value[key] !== undefined,
  );
  if (misplaced !== undefined)
    throw wrong(misplaced, `belongs to a server with "${command === undefined ? "command" : "url"}"; take it out`);
  for (const [group, values] of Object.entries({ env, headers }))
    for (const [key, text] of Object.entries(values)) if (holdsSecret(key, text)) throw wrong(`${group}.${key}`, secretCure(key));
  for (const text of [command ?? "", ...args, url ?? ""])
    if (lookingLikeSecrets(text).length > 0 || urlCredentials(text).length > 0)
      throw wrong(
        command === undefined ? "url" : "args",
        `holds a secret, and a configuration is recorded; ${command === undefined ? "give it in headers" : "give it in env"} as \${NAME}, a variable of your environment`,
      );
  const common = { name, folder: from.folder, ...(tools ? { only: tools } : {}), ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  if (command !== undefined) return { ...common, transport: "stdio", command, args, env };
  return { ...common, transport: transport === "sse" ? "sse" : "streamable-http", url: url ?? "", headers };
}

/** A key by its name, or a value by its looks, of which something is written out. */
function holdsSecret(key: string, text: string): boolean {
  const written = text.replaceAll(variable, "").replace(/^(bearer|basic|token)\s*/i, "");
  if (written === "") return false;
  return (
    /(_?KEY|_?TOKEN|_?SECRET|PASSWORD|^authorization|^cookie)$/i.test(key) ||
    lookingLikeSecrets(text).length > 0 ||
    urlCredentials(text).length > 0
  );
}
const secretCure = (key: string): string =>
  `holds a secret, and a configuration is recorded; write "\${${/^[A-Za-z_]\w*$/.test(key) ? key.toUpperCase() : "NAME"}}" and set that variable in your environment`;
