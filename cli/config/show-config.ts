import pc from "picocolors";
import { explainConfig } from "../../harness/config/explain-config.ts";
import { loadConfig } from "../../harness/config/load-config.ts";
import type { CodeSource } from "../../harness/contract/resolved-config.ts";
import { redactDeep } from "../../harness/secrets/redact-json.ts";
import { pageWidth } from "../../reports/text/display-width.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { plainTable } from "../../reports/text/lay-table.ts";
import { printable } from "../../harness/text/printable.ts";
import { configRegistry } from "../../assembly/registry.ts";
import { sourcesHere } from "../../harness/config/everyday/everyday-sources.ts";
import { redactorFor } from "../../harness/secrets/redactor-for-environment.ts";
import { lookingLoaders, notTrusted } from "../../harness/trust/trust-code.ts";
import { trustStore } from "../../harness/trust/trust-store.ts";

/** Characters of a value that are shown however narrow the terminal is. */
const narrowest = 24;
/** Stands where no source names a model. */
const unnamed = "none/none";

/** Every value of the configuration here with its origin, as a table or one JSON object. */
export async function showConfig(o: { config?: string; model?: string; json?: boolean }): Promise<void> {
  const flags = o.model === undefined ? undefined : { model: o.model };
  const sources = sourcesHere({ cwd: process.cwd(), config: o.config, flags, defaultModel: unnamed });
  const untrusted: CodeSource[] = [];
  const registry = { ...configRegistry, ...lookingLoaders(trustStore(), untrusted) };
  const config = await loadConfig(sources, registry);
  const redact = redactorFor(process.env);
  const rows = (await explainConfig(sources, registry)).map((row) =>
    row.key === "model.name" && row.value === unnamed
      ? { ...row, value: null, from: "not set: forge run looks for one" }
      : { ...row, value: redactDeep(row.value, redact) },
  );
  // Without the code's own name and options nobody knows the hash.
  const hash = untrusted.length > 0 ? null : config.hash;
  const marked = rows.map((row) => {
    const source = untrusted.find(({ path }) => row.value === path && /^(middleware|tool)\./.test(row.key));
    return source ? { ...row, value: `${notTrusted}: ${source.path} (sha256 ${source.hash.slice(0, 16)})` } : row;
  });
  if (o.json) {
    process.stdout.write(`${jsonLine({ name: config.name, hash, values: marked })}\n`);
    return;
  }
  const keys = new Set(marked.map(({ key }) => key));
  // an option of a middleware is below it, further in
  const shownKey = (key: string): string => {
    const at = key.lastIndexOf(".");
    return key.startsWith("middleware.") && keys.has(key.slice(0, at)) ? `  ${key.slice(at + 1)}` : key;
  };
  const others = Math.max(...marked.map(({ key }) => shownKey(key).length)) + Math.max(...marked.map(({ from }) => from.length)) + 4;
  const width = Math.max(narrowest, pageWidth() - others);
  const table = plainTable(
    ["key", "value", "from"],
    marked.map(({ key, value, from }) => [printable(shownKey(key)), printable(short(value, width)), printable(from)]),
    { left: true },
  );
  process.stdout.write(
    `${pc.bold(printable(config.name))}  ${hash === null ? "harness hash unknown: code of this repository is not trusted (forge run asks)" : `harness hash ${hash.slice(0, 12)}`}\n${table}\nWhole values: forge config show --json\n`,
  );
}

function short(value: unknown, width: number): string {
  if (value === null) return "–";
  const text = typeof value === "string" ? value.replaceAll("\n", " ") : JSON.stringify(value);
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}
