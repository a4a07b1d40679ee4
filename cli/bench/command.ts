import type { Command } from "commander";
import { registerExport } from "./export-command.ts";
import { registerRegrade } from "./regrade-command.ts";
import { registerVerify } from "./verify-command.ts";
import { loadAtOnce } from "../../harness/package/load-at-once.ts";
import { byteSize, collect, collectVariables, dollarAmount, wholeNumber } from "../shared/option-values.ts";
import type { BenchFlags } from "./options.ts";

const help = `
The suite is "builtin", "demo", a folder of tasks (Harbor's format or Terminal-Bench's), a repository at a commit, or a manifest. The same command again goes on where the job stopped.

Examples:
  forge bench --agent oracle                           reference solutions: every task must pass
  forge bench --agent nop                              an agent that does nothing: none may pass
  forge bench --config bare --config mine.yaml --model openai/gpt-5-mini --repeats 3
  forge bench --ablate standard --repeats 3            which of its middlewares pay: each one left out
  forge bench --ablate mine.yaml --add                 also none of them, and each one alone
  forge bench --config mine.yaml --sweep loop-detection.fileSoft=3,5,8 --sweep loop-detection.repeatWarn=2,3
  forge bench my-tasks/ --config bare --config mine.yaml --until-decided   no further trial than it takes to tell
  forge bench my-tasks/ --filter "git-*" --model local/qwen --jobs 1 --out jobs/try
  forge bench git+https://github.com/org/tasks@<commit>#tasks --agent oracle
  forge bench my-tasks/ --task-env JUDGE_KEY           tasks that ask for JUDGE_KEY get it from your environment; no other does
  forge bench demo --model sim/default --json          NDJSON events, the result last
  forge bench --docker-host unix:///var/run/docker.sock --docker-host ssh://me@big --jobs 12
  forge bench --watch jobs/try                         the table of a job that runs in another terminal
  forge bench export jobs/try --sign key.pem           one archive that anybody can check with forge bench verify`;

export function registerBench(program: Command): void {
  const bench = program
    .command("bench")
    .enablePositionalOptions() // what stands behind a subcommand is the subcommand's
    .description("run configurations over a suite of tasks; every trial leaves a trace")
    .argument("[suite]", "builtin, demo, a folder of tasks, git+<url>@<commit>#<folder>, or a manifest", "builtin")
    .option("--config <file|preset>", "a configuration to measure; repeat it for several (default: standard)", collect)
    .option("--ablate <file|preset>", "what each middleware of a configuration is worth: it, and it with each one left out")
    .option("--add", "with --ablate also the configuration without any middleware, and with each one alone")
    .option(
      "--sweep <option=values>",
      "values of one option of a middleware, such as loop-detection.fileSoft=3,5,8; repeat it for a grid",
      collect,
    )
    .option("--until-decided", "look after every task, and stop as soon as it is decided which configuration is better")
    .option("--agent <name>", "oracle: the tasks' own solutions; nop: nothing")
    .option("--model <provider/name>", "the model of every configuration (default: the configuration's, else sim/default)")
    .option("--base-url <url>", "address of a compatible server")
    .option("--repeats <k>", "trials of each task with each configuration", wholeNumber, 1)
    .option("--jobs <n>", "trials at a time (default: the number of cores, at most 4)", wholeNumber)
    .option("--filter <glob>", "only tasks whose name fits")
    .option("--out <dir>", "the job's folder (default: jobs/<hash of what was asked>)")
    .option("--max-cost <usd>", "start no trial beyond this cost", dollarAmount)
    .option("--sandbox <kind>", "docker, bubblewrap, local, or local-unsafe (default: the first that works)")
    .option("--mode <mode>", "official or hardened verification (default: as the task is written)")
    .option(
      "--memory-bound <size>",
      "hardened: of a container whose task states no memory limit (default: a share of the machine's)",
      byteSize,
    )
    .option(
      "--storage-bound <size>",
      "hardened: of what it writes, where its task states none (default: a share of the free disk)",
      byteSize,
    )
    .option("--pids-bound <n>", "hardened: of its processes (default: a share of the machine's, at most 4096)", wholeNumber)
    .option("--task-env <name>", "a variable of your environment that tasks may read; repeat it (default: none)", collectVariables)
    .option("--yes", "do not ask before paid work")
    .option("--json", "NDJSON events on standard output, the result last")
    .option("--image-cache <size>", "what images of tasks may take when the job has ended, such as 20GB; the longest unused go", byteSize)
    .option("--docker-host <address>", "a Docker daemon (unix://…, ssh://…, tcp://…); repeat it to spread trials over several", collect)
    .option("--watch <job>", "show a job that another forge works on: its folder, or the beginning of its name in ./jobs")
    .addHelpText("after", help)
    .action(async (suite: string, options: BenchFlags) => {
      if (options.watch !== undefined) {
        const { watchBench } = await import("./watch-bench.ts");
        process.exitCode = await watchBench(options.watch, { json: options.json === true });
        return;
      }
      loadAtOnce(import.meta.url, "./run-bench.js");
      const { runBench } = await import("./run-bench.ts");
      process.exitCode = await runBench(suite, options);
    });
  registerRegrade(bench);
  registerExport(bench);
  registerVerify(bench);
}
