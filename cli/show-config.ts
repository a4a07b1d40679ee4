import pc from "picocolors";
import { explainConfig } from "../harness/config/explain-config.ts";
import { loadConfig } from "../harness/config/load-config.ts";
import { plainTable } from "../reports/terminal/plain-table.ts";
import { configRegistry } from "./assemble.ts";
import { sourcesHere } from "./everyday-sources.ts";

/** Characters of a value that are shown however narrow the terminal is. */
const narrowest = 24;
/** Stands where no source names a model. */
const unnamed = "none/none";

/** Every value of the configuration here with its origin, as a table or one JSON object. */
export async function showConfig(o: { config?: string; model?: string; json?: boolean }): Promise<void> {
  const flags = o.model === undefined ? undefined : { model: o.model };
  const sources = sourcesHere({ cwd: process.cwd(), config: o.config, flags, defaultModel: unnamed });
  const config = await loadConfig(sources, configRegistry);
  const rows = (await explainConfig(sources, configRegistry)).map((row) =>
    row.key === "model.name" && row.value === unnamed ? { ...row, value: null, from: "not set: forge run looks for one" } : row,
  );
  if (o.json) {
    process.stdout.write(`${JSON.stringify({ name: config.name, hash: config.hash, values: rows })}\n`);
    return;
  }
  const others = Math.max(...rows.map(({ key }) => key.length)) + Math.max(...rows.map(({ from }) => from.length)) + 4;
  const width = Math.max(narrowest, (process.stdout.columns ?? 120) - others);
  const table = plainTable(
    ["key", "value", "from"],
    rows.map(({ key, value, from }) => [key, short(value, width), from]),
    { left: true },
  );
  process.stdout.write(
    `${pc.bold(config.name)}  harness hash ${config.hash.slice(0, 12)}\n${table}\nWhole values: forge config show --json\n`,
  );
}

function short(value: unknown, width: number): string {
  if (value === null) return "–";
  const text = typeof value === "string" ? value.replaceAll("\n", " ") : JSON.stringify(value);
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}
