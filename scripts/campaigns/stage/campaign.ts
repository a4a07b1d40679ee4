import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { seededRandom } from "../../../harness/seeded-random.ts";
import { plainTable } from "../../../reports/text/lay-table.ts";

/** What a campaign works with. */
export interface Stage {
  /** The compiled command. */
  readonly main: string;
  /** Empty; suites and jobs are made in it. Removed at the end. */
  readonly folder: string;
  /** Empty, for the command's temporary files. */
  readonly temporary: string;
  readonly random: () => number;
  readonly sandbox: string;
  readonly say: (line: string) => void;
}

/** One thing that was done to a job, and what came of it. */
export interface Scene {
  readonly done: string;
  /** Attempts by class, over the whole job. */
  readonly classes: string;
  readonly recovery: string;
  /** What was left behind; empty: nothing. */
  readonly left: readonly string[];
  readonly problems: readonly string[];
}

const main = join(dirname(fileURLToPath(import.meta.url)), "../../../dist/cli/main.js");

/** Plays a campaign's scenes one after another and prints their table; exit code 1 where something did not hold. Options: `--seed`, `--sandbox`, `--main`. */
export async function campaign(scenes: (stage: Stage) => AsyncIterable<Scene>): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: "string", default: "1" },
      sandbox: { type: "string", default: "docker" },
      main: { type: "string", default: main },
    },
  });
  if (!existsSync(values.main)) throw new Error(`${values.main} is not there; build first: npm run build`);
  const folder = await mkdtemp(join(tmpdir(), "forge-campaign-"));
  const temporary = join(folder, "tmp");
  await mkdir(temporary);
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const random = seededRandom(Number(values.seed));
  const played: Scene[] = [];
  try {
    for await (const scene of scenes({ main: values.main, folder, temporary, random, sandbox: values.sandbox, say })) {
      played.push(scene);
      say(`${scene.done}: ${scene.problems.length === 0 ? "holds" : scene.problems.join("; ")}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const rows = played.map(({ done, classes, recovery, left, problems }) => [
    done,
    classes,
    recovery,
    left.length === 0 ? "0" : left.join(", "),
    problems.length === 0 ? "yes" : problems.join("; "),
  ]);
  process.stdout.write(
    `${plainTable(["what was done", "attempts by class", "recovery", "left over", "holds"], rows, { left: true, most: Infinity })}\n`,
  );
  process.exitCode = played.some(({ left, problems }) => left.length + problems.length > 0) ? 1 : 0;
}
