import { join, relative, resolve } from "node:path";
import { quote } from "../../harness/sandbox/shell/quote.ts";
import type { FinishedJob } from "../job/results/load-job.ts";
import { askedSchema } from "../job/asked-command.ts";
import { readJson } from "../../harness/files/read-json.ts";

/** The command that measures a job again, into a folder of its own, for a shell in this folder; undefined where `config.json` is missing or was written by another program. */
export async function benchCommand({ folder, lock }: FinishedJob): Promise<string | undefined> {
  const asked = await readJson(join(folder, "config.json"), askedSchema, "").catch(() => undefined);
  if (!asked) return undefined;
  const option = (name: string, value: string | null | undefined): string[] => (value == null ? [] : [`--${name}`, wordOf(value)]);
  const { suite, config, model, baseUrl, price, ablate, add, sweep = [], bounds = {}, taskEnv = [] } = asked.asked;
  const { memoryMb, storageMb, pids } = bounds;
  const began = lock.cwd ?? process.cwd();
  const there = relative(process.cwd(), began);
  return [
    ...(there === "" ? [] : [`cd ${wordOf(there)} &&`]), // paths of the command are meant from where it was given
    "forge bench",
    wordOf(suite),
    ...config.flatMap((one) => option("config", one)),
    ...option("ablate", ablate),
    ...(add ? ["--add"] : []),
    ...sweep.flatMap((one) => option("sweep", one)),
    ...option("agent", asked.agent === "configured" ? null : asked.agent),
    ...option("model", model),
    ...option("base-url", baseUrl === undefined ? null : withoutSecrets(baseUrl)),
    ...option("price", price && `${price.input},${price.output}`),
    ...option("filter", asked.filter),
    ...option("mode", asked.mode),
    ...option("sandbox", asked.sandbox),
    ...(memoryMb === undefined ? [] : option("bound", `memory=${(memoryMb * 1024 ** 2) / 1e6}MB`)),
    ...(storageMb === undefined ? [] : option("bound", `storage=${(storageMb * 1024 ** 2) / 1e6}MB`)),
    ...(pids === undefined ? [] : option("bound", `pids=${pids}`)),
    ...taskEnv.flatMap((one) => option("task-env", one)),
    ...(asked.untilDecided ? ["--until-decided"] : []),
    ...option("repeats", String(asked.repeats)),
    ...option("out", `${relative(began, resolve(folder))}-again`),
  ].join(" ");
}

/** A word of a shell's command line, in quotes only where it needs them. */
export const wordOf = (word: string): string => (/^[\w./:@%+,=-]+$/.test(word) ? word : quote(word));

/** A report is sent around: a user and password in an address are not. */
function withoutSecrets(address: string | null): string | null {
  if (address === null || !URL.canParse(address)) return address;
  const url = new URL(address);
  if (url.username === "" && url.password === "" && url.search === "") return address;
  return `${url.protocol}//${url.host}${url.pathname}`;
}
