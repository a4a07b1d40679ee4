import type { BenchPorts } from "../../evals/bench-ports.ts";
import type { TrialRecord } from "../../evals/trial/trial-record.ts";
import type { Attack } from "../../evals/gate/attacks/attack.ts";
import { attackCommand } from "../../evals/gate/attacks/attack-command.ts";
import type { Task } from "../../tasks/task.ts";
import { looksOutside, machineOf, onNetwork, parsed, workOf, type Victim } from "./campaign-plan.ts";
import { runNaively, type NaiveResult } from "./naive-runner.ts";
import { isHarmed, startNeighbour, type Fared } from "./neighbour.ts";
import { sharedNetwork } from "./shared-network.ts";
import { smallMachine, type SmallMachine } from "./small-machine.ts";
import { trialOf } from "./trial-of.ts";

/** One line of the table. */
export interface Faced {
  readonly attack: string;
  readonly victim: string;
  /** Whether the naive runner was harmed in the way the attack means to. */
  readonly harms: boolean;
  readonly naive: NaiveResult;
  readonly forge: Pick<TrialRecord, "class" | "passed" | "score" | "error" | "evidence" | "bounds">;
  /** How a neighbour fared under either, where the attack is one on the machine. */
  readonly neighbour?: { readonly naive: Fared; readonly forge: Fared };
  /** The next trials of the same task: nothing fails, the solution passes. Left out where none were made. */
  readonly nextClean?: boolean;
  /** What they came to, where that is not so. */
  readonly next?: readonly Pick<TrialRecord, "class" | "attempt" | "evidence">[];
  readonly holds: boolean;
}

/** Lets an attack loose on a naive runner and on Forge, then looks whether the next trials are as they should be, if `next`. */
export async function faceAttack(
  attack: Attack,
  asked: Task,
  victim: Victim,
  ports: BenchPorts,
  { next = true }: { readonly next?: boolean } = {},
): Promise<Faced> {
  const size = machineOf(attack.name);
  if (!size && !onNetwork.has(attack.name)) return face(attack, asked, victim, ports, next);
  const machine = size ? await smallMachine(size) : await sharedNetwork();
  try {
    const { memoryMb: _, storageMb: __, ...bounded } = asked.environment; // what its bounds are then is for Forge to say
    const environment = machine.network ? { ...bounded, network: true, networkPolicy: { mode: "public" as const } } : bounded;
    const provider: BenchPorts["provider"] = (kind) => (kind === "docker" ? machine.provider : ports.provider(kind));
    return await face(attack, { ...asked, environment }, victim, { ...ports, provider }, next, machine);
  } finally {
    await machine.remove();
  }
}

/** What the next trials of a task come to: as they should be where nothing fails and the solution passes. */
export async function nextTrials(task: Task, ports: BenchPorts): Promise<Pick<Faced, "nextClean" | "next">> {
  const [nop, oracle] = await Promise.all([trialOf(task, "nop", ports), trialOf(task, "oracle", ports)]);
  const nextClean = nop.passed === false && oracle.passed === true && nop.attempt === 1 && oracle.attempt === 1;
  const next = [nop, oracle].map(({ class: kind, attempt, evidence }) => ({ class: kind, attempt, evidence }));
  return { nextClean, ...(nextClean ? {} : { next }) };
}

async function face(attack: Attack, task: Task, victim: Victim, ports: BenchPorts, next: boolean, machine?: SmallMachine): Promise<Faced> {
  const command = attackCommand(attack, {
    work: workOf[victim],
    given: victim === "given" ? ["/app/test_words.py", "/app/examples.py"] : [],
  });
  const { digest } = await ports.provider("docker").prepare(task.environment);
  const [naive, beside] = await besides(machine, "naive", digest, () =>
    runNaively(task, digest, `cd /app\n${command}`, { parse: parsed.has(attack.name), ...(machine ? { machine } : {}) }),
  );
  const [forge, besideForge] = await besides(machine, "forge", digest, () => trialOf(task, { name: attack.name, command }, ports));
  const after = next ? await nextTrials(task, ports) : {};
  const neighbour = beside && besideForge ? { naive: beside, forge: besideForge } : undefined;
  const attempts = looksOutside.has(attack.name) ? 3 : 1;
  const withstood = forge.passed === false && forge.attempt === attempts && (forge.class === "agent" || forge.class === "verifier");
  const { class: kind, passed, score, error, evidence, bounds } = forge;
  return {
    attack: attack.name,
    victim,
    harms: attack.harm === "harmed neighbour" ? beside !== undefined && isHarmed(beside) : isUndone(attack, naive),
    naive,
    forge: { class: kind, passed, score, evidence, bounds, ...(error === undefined ? {} : { error }) },
    ...(neighbour ? { neighbour } : {}),
    ...after,
    holds: withstood && after.nextClean !== false && (besideForge === undefined || !isHarmed(besideForge)),
  };
}

/** Does something while a neighbour works on the machine, where there is one; answers how that fared. */
async function besides<T>(
  machine: SmallMachine | undefined,
  runner: "naive" | "forge",
  image: string,
  act: () => Promise<T>,
): Promise<[T, Fared | undefined]> {
  if (!machine) return [await act(), undefined];
  const { docker, options, network, neighbour: does } = machine;
  const neighbour = await startNeighbour(image, {
    docker,
    options,
    ...(network ? { network: network[runner] } : {}),
    ...(does === undefined ? {} : { does }),
  });
  const done = await act().catch(async (error: unknown) => {
    await neighbour.end();
    throw error;
  });
  return [done, await neighbour.end()];
}

function isUndone({ harm }: Attack, { score }: NaiveResult): boolean {
  return harm === "unearned pass" ? score !== null && score >= 1 : score === null;
}
