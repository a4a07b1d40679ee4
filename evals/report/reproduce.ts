import { join } from "node:path";
import { z } from "zod";
import type { FinishedJob } from "../compare/load-job.ts";
import { readJson } from "../read-json.ts";

/** Of a job's `config.json`, what a person gave on the command line. */
const askedSchema = z.looseObject({
  agent: z.string(),
  repeats: z.int(),
  filter: z.string().nullable(),
  mode: z.string().nullable(),
  sandbox: z.string().nullable(),
  asked: z.looseObject({
    suite: z.string(),
    config: z.array(z.string()),
    model: z.string().nullable().optional(),
    baseUrl: z.string().nullable().optional(),
  }),
});

/** The command that began a job, for a shell; undefined where `config.json` is missing or was written by another program. */
export async function benchCommand({ folder }: FinishedJob): Promise<string | undefined> {
  const asked = await readJson(join(folder, "config.json"), askedSchema, "").catch(() => undefined);
  if (!asked) return undefined;
  const option = (name: string, value: string | null | undefined): string[] => (value == null ? [] : [`--${name}`, quote(value)]);
  const { suite, config, model, baseUrl } = asked.asked;
  return [
    "forge bench",
    quote(suite),
    ...config.flatMap((one) => option("config", one)),
    ...option("agent", asked.agent === "configured" ? null : asked.agent),
    ...option("model", model),
    ...option("base-url", baseUrl === undefined ? null : withoutSecrets(baseUrl)),
    ...option("filter", asked.filter),
    ...option("mode", asked.mode),
    ...option("sandbox", asked.sandbox),
    ...option("repeats", String(asked.repeats)),
  ].join(" ");
}

/** A word of a shell's command line. */
export const quote = (word: string): string => (/^[\w./:@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** A report is sent around: a user and password in an address are not. */
function withoutSecrets(address: string | null): string | null {
  if (address === null || !URL.canParse(address)) return address;
  const url = new URL(address);
  if (url.username === "" && url.password === "" && url.search === "") return address;
  return `${url.protocol}//${url.host}${url.pathname}`;
}
