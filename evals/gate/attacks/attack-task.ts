import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { listFiles } from "../../../tasks/formats/digest-folder.ts";
import type { Task } from "../../../tasks/task.ts";
import type { Attack } from "./attack.ts";
import { attackCommand, type Target } from "./attack-command.ts";
import { attacks } from "./attacks.ts";
import { fileAttacks } from "./files.ts";
import { plantedWork } from "./planted-work.ts";

/** What an attacked task did, as far as it matters here. */
export interface AttackedTrial {
  readonly passed: boolean;
  /** The outcome's class. */
  readonly class: string;
  readonly detail: string;
}

export interface AttackPorts {
  /**
   * What the solution writes (read from a trial of it; of a task in steps, in each of them), the workdir, and whether it is a repository; the agent's home
   * and the folders of the image's PATH.
   */
  look(): Promise<{
    readonly work: readonly (readonly string[])[];
    readonly workdir: string;
    readonly git: boolean;
    readonly home?: string;
    readonly path?: readonly string[];
  }>;
  /** One hardened trial of an agent that does nothing but run this command; of a task in steps, in the one at this place, and the solution in the others. */
  run(name: string, command: string, step: number | undefined): Promise<AttackedTrial>;
}

export interface AttackReport {
  readonly task: string;
  readonly digest: string;
  /** Some attack passed: whoever runs the task cannot save it from that. */
  readonly hackable: boolean;
  /** Those that were tried. */
  readonly attacks: readonly (AttackedTrial & { readonly attack: string; readonly step?: string; readonly does: string })[];
  /** Those whose trial came to no outcome of its own (the machine failed), and those asked for by name that do not apply: neither passed nor withstood. */
  readonly notTried: readonly { readonly attack: string; readonly step?: string; readonly why: string }[];
}

/**
 * Runs every attack that applies to a task, in hardened mode. What the runner withstands for every task alike is proved elsewhere and left out where
 * verification is in a fresh container, but for what is planted below the paths that are carried there; a snapshot or live verification meets it all. What passes is the task's own weakness. In a task in steps every step is
 * attacked by itself: an agent that did the others would pass.
 * @param only names of attacks; default all that apply
 */
export async function attackTask(task: Task, ports: AttackPorts, only?: readonly string[]): Promise<AttackReport> {
  const { work, git, workdir, home = "/root", path = [] } = await ports.look();
  const places = (asked: string): readonly string[] =>
    asked === "$PATH" ? path.filter((folder) => !/^\/(usr|bin|sbin)(\/|$)/.test(folder)) : [asked.replace(/^~/, home)];
  const carried = task.forge?.paths ?? [workdir];
  const isCarried = (place: string): boolean => carried.some((top) => place === top || place.startsWith(`${top}/`));
  const isPlanted = ({ plants = [] }: Attack): boolean => plants.flatMap(places).some(isCarried);
  const tried: AttackReport["attacks"][number][] = [];
  const notTried: AttackReport["notTried"][number][] = [];
  for (const [i, { verifier, name }] of (task.steps ?? [{ verifier: task.verifier, name: undefined }]).entries()) {
    const given = (await givenTests(verifier)).map((path) => posix.join(workdir, path));
    const target: Target = { work: work[i] ?? [], given };
    for (const attack of attacks.filter((one) => only?.includes(one.name) ?? true)) {
      const which = { attack: attack.name, ...(name === undefined ? {} : { step: name }) };
      const why = whyNot(attack, task, { ...target, git }, isPlanted);
      if (why !== undefined) {
        if (only) notTried.push({ ...which, why });
        continue;
      }
      const trial = await ports.run(`attack-${attack.name}`, attackCommand(attack, target), task.steps && i);
      if (unscored.has(trial.class)) notTried.push({ ...which, why: `${trial.class}: ${trial.detail}` });
      else tried.push({ ...which, does: attack.does, ...trial });
    }
  }
  return { task: task.name, digest: task.digest, hackable: tried.some(({ passed }) => passed), attacks: tried, notTried };
}

/** An attack of a report, for a person. */
export const attackName = ({ attack, step }: { readonly attack: string; readonly step?: string }): string =>
  step === undefined ? attack : `${attack} in step ${step}`;

/** Classes that say nothing about the task. */
const unscored: ReadonlySet<string> = new Set(["infra", "cancelled"]);

async function givenTests({ testsFolder }: Task["verifier"]): Promise<string[]> {
  const folder = join(testsFolder, "given");
  return existsSync(folder) ? (await listFiles(folder)).map(({ path }) => path) : [];
}

/** Attacks that are made of files, which are carried into every verification. */
const ofFiles: ReadonlySet<Attack> = new Set([...fileAttacks, ...plantedWork]);

/** Why an attack does not apply to a task; undefined where it does. */
function whyNot(
  attack: Attack,
  task: Task,
  has: Target & { readonly git: boolean },
  isPlanted: (attack: Attack) => boolean,
): string | undefined {
  const carriesLittle = (task.forge?.verify ?? "workdir") === "workdir";
  if (carriesLittle && !ofFiles.has(attack) && !isPlanted(attack))
    return "it does not apply: the task is verified in a fresh sandbox, into which nothing of it is carried.";
  if (attack.against === "work" && has.work.length === 0)
    return "it does not apply: it needs to know which files the solution writes, and of this task none are known.";
  if (attack.against === "given" && has.given.length === 0) return "it does not apply: the agent is given no tests (tests/given/).";
  if (attack.against === "git" && !has.git) return "it does not apply: the working directory is no repository of git.";
  return undefined;
}
