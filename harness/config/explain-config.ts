import type { Json } from "../json.ts";
import type { ConfigRegistry } from "./config-registry.ts";
import type { ConfigSource } from "./config-source.ts";
import type { ModelRow } from "../contract/model-row.ts";
import type { ResolvedConfig } from "../contract/resolved-config.ts";
import { rowOf } from "../models/families/find-row.ts";
import type { Placed } from "./stack/stack-config.ts";
import { loadConfig } from "./load-config.ts";
import { resolveMiddleware } from "./middleware/resolve-middleware.ts";
import { stackSources } from "./stack/stack-sources.ts";

/** One value of a configuration and what set it: a file with its line, `preset bare`, `the command line`, or `default`. */
export interface ExplainedValue {
  /** `limits.turns`, `middleware.loop-detection.fileSoft`. */
  readonly key: string;
  readonly value: Json;
  readonly from: string;
}

/** Every value of the configuration that these sources make, with its origin: what `forge config show` prints. Throws as `loadConfig` does. */
export async function explainConfig(sources: readonly ConfigSource[], registry: ConfigRegistry): Promise<ExplainedValue[]> {
  const config = await loadConfig(sources, registry);
  const stack = await stackSources(sources, registry);
  const placed = new Map<string, string>();
  for (const group of ["model", "limits", "prompt"] as const)
    for (const [key, at] of stack[group]) placed.set(`${group}.${key}`, at.from.place(at.path));
  const row = (key: string, value: Json): ExplainedValue => ({ key, value, from: placed.get(key) ?? "default" });
  const { tools, loop, snapshots } = stack;
  const rows = [
    ...Object.entries(config.model).flatMap(([key, value]) => (key === "row" ? [] : [row(`model.${key}`, value)])),
    ...rowValues(config, stack.models.get(config.model.name)),
    { key: "tools", value: config.tools.map((tool) => tool.name), from: tools ? tools.from.place(tools.path) : "default" },
    ...(config.toolFiles ?? []).map(({ name, source }) => ({
      key: `tool.${name}`,
      value: source.path,
      from: tools ? tools.from.place(tools.path) : "default",
    })),
    ...(config.mcp ?? []).map((server) => {
      const at = stack.mcp.get(server.name);
      return {
        key: `mcp.${server.name}`,
        value: server.transport === "stdio" ? [server.command, ...server.args].join(" ") : server.url,
        from: at ? at.from.place(at.path) : "default",
      };
    }),
    { key: "loop", value: config.loop ?? 1, from: loop ? loop.from.place(loop.path) : "default" },
    { key: "snapshots", value: config.snapshots !== false, from: snapshots ? snapshots.from.place(snapshots.path) : "default" },
    ...Object.entries(config.limits).map(([key, value]: [string, number]) => row(`limits.${key}`, value)),
    ...config.system.map(({ name, text }) => row(`prompt.${name}`, text)),
  ];
  for (const { entry, resolved } of await resolveMiddleware(stack.middleware, registry)) {
    const { from, path, value } = entry;
    rows.push({
      key: `middleware.${resolved.name}`,
      value: resolved.source?.path ?? `version ${resolved.version}`,
      from: from.place(path),
    });
    for (const [key, option] of Object.entries(resolved.options))
      rows.push({
        key: `middleware.${resolved.name}.${key}`,
        value: option,
        from: Object.hasOwn(value.options, key) ? from.place([...path, key]) : "default",
      });
  }
  return rows;
}

/** What the table of models knows of this one: limits, effort, wire and price come from here. */
function rowValues({ model }: ResolvedConfig, own: Placed<ModelRow> | undefined): ExplainedValue[] {
  const known = rowOf(model.name, model.row);
  if (known === undefined) return [{ key: "model.row", value: null, from: "unknown model" }];
  const { source = "no source", ...values } = known;
  return Object.entries(values).map(([key, value]) => ({
    key: `model.row.${key}`,
    value: value as Json, // plain JSON by its schema
    from: model.row && Object.hasOwn(model.row, key) ? (own ? own.from.place(own.path) : "configuration") : `table of models: ${source}`,
  }));
}
