import { nextSteps } from "../../reports/text/next-steps.ts";
import { plural } from "../../harness/text/figures.ts";
import { plainTable } from "../../reports/text/lay-table.ts";
import { nameFilter } from "../../harness/text/name-filter.ts";
import { loadConfig } from "../../harness/config/load-config.ts";
import { benchSources } from "../../harness/config/config-source.ts";
import { ConfigError } from "../../harness/errors.ts";
import { faults, type Fault } from "../../harness/models/simulated/faults/fault-kinds.ts";
import { loadSuite } from "../../tasks/formats/load-suite.ts";
import { createBenchPorts } from "../../assembly/create-bench-ports.ts";
import { configRegistry } from "../../assembly/registry.ts";
import { interruptible } from "../shared/interruptible.ts";
import { namesListed } from "../shared/names-listed.ts";
import type { KeyLine } from "../../evals/simulated-corpus/corpus-key.ts";
import { writeCorpus } from "../../evals/simulated-corpus/write-corpus.ts";
import type { CorpusFlags } from "./options.ts";

/** Carries out `forge sim corpus`; answers the exit code. */
export async function corpusFromOptions(flags: CorpusFlags): Promise<number> {
  const { runs, seed, protocol = "native", sandbox } = flags;
  const chosen = faultsNamed(flags.faults ?? "all");
  const sources = benchSources({
    config: flags.config,
    cwd: process.cwd(),
    flags: { model: { name: "sim/one-fault", protocol } },
    defaultModel: "sim/one-fault",
  });
  const config = await loadConfig(sources, configRegistry);
  const suite = await loadSuite(flags.suite, { variables: process.env });
  const live = process.stderr.isTTY && flags.json !== true;
  let done = 0;
  const key = await interruptible(({ stop }) =>
    writeCorpus({
      suite,
      suiteName: flags.suite,
      config,
      runs,
      seed,
      faults: chosen,
      out: flags.out,
      ...(sandbox === undefined ? {} : { sandbox }),
      ...(flags.jobs === undefined ? {} : { jobs: flags.jobs }),
      stop,
      createPorts: (simulate) => createBenchPorts(process.env, { simulate }),
      onEvent: (event) => void (event.type === "trial.end" && live && process.stderr.write(`\r${++done} of ${runs} runs`)),
    }).catch((error: unknown) => {
      if (stop.aborted) return undefined;
      throw error;
    }),
  );
  if (live) process.stderr.write("\r\u001B[K");
  if (!key) {
    process.stderr.write("Interrupted; nothing was written.\n");
    return 130;
  }
  process.stdout.write(flags.json ? `${JSON.stringify({ out: flags.out, runs: key })}\n` : `${tableOf(key)}\n${closing(flags.out, key)}\n`);
  return 0;
}

export function faultsNamed(list: string): readonly Fault[] {
  if (list === "all") return faults;
  const words = namesListed(list);
  const unknown = words.find((word) => !faults.some(nameFilter(word)));
  if (unknown !== undefined) throw new ConfigError(`--faults: there is no fault "${unknown}". Choose among ${faults.join(", ")}, or all.`);
  return faults.filter((fault) => words.some((word) => nameFilter(word)(fault)));
}

/** One line a fault: how many runs, how many of them passed all the same, and one example. */
function tableOf(key: readonly KeyLine[]): string {
  const rows = faults.flatMap((fault) => {
    const own = key.filter((line) => line.fault === fault);
    const [first] = own;
    const passed = own.filter((line) => line.passed).length;
    return first ? [[fault, own.length, passed, first.lever, own.find(({ at }) => at)?.at ?? "it did not happen"]] : [];
  });
  return plainTable(["fault", "runs", "passed", "lever", "for example at"], rows, { left: ["lever", "for example at"] });
}

const closing = (out: string, key: readonly KeyLine[]): string =>
  `${plural(key.length, "run")} in ${out}/job; what is wrong with each is in ${out}/key.jsonl\n${nextSteps([
    ["Look", `jobs show ${out}/job`],
    ["Replay", `replay ${out}/job`],
  ])}`;
