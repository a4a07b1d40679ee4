import type { BenchPorts } from "../../evals/bench-ports.ts";
import type { TrialRecord } from "../../evals/trial-record.ts";
import type { Attack } from "../../tasks/attacks/attack.ts";
import { attackCommand } from "../../tasks/attacks/attack-command.ts";
import type { Task } from "../../tasks/task.ts";
import { parsed, workOf, type Victim } from "./campaign-plan.ts";
import { runNaively, type NaiveResult } from "./naive-runner.ts";
import { trialsOf } from "./trials-of.ts";

/** One line of the table. */
export interface Faced {
  readonly attack: string;
  readonly victim: string;
  /** Whether the naive runner was harmed in the way the attack means to. */
  readonly harms: boolean;
  readonly naive: NaiveResult;
  readonly forge: Pick<TrialRecord, "class" | "passed" | "score" | "error">;
  /** The next trials of the same task: nothing fails, the solution passes. */
  readonly nextClean: boolean;
  readonly holds: boolean;
}

/** Lets an attack loose on a naive runner and on Forge, then looks whether the next trials are as they should be. */
export async function faceAttack(attack: Attack, task: Task, victim: Victim, ports: BenchPorts): Promise<Faced> {
  const command = attackCommand(attack, {
    work: workOf[victim],
    given: victim === "given" ? ["/app/test_words.py", "/app/examples.py"] : [],
  });
  const { digest } = await ports.provider("docker").prepare(task.environment);
  const naive = await runNaively(task, digest, `cd /app\n${command}`, { parse: parsed.has(attack.name) });
  const [forge, nop, oracle] = await trialsOf(task, [{ name: attack.name, command }, "nop", "oracle"], ports);
  if (!forge || !nop || !oracle) throw new Error("three agents have three records");
  const nextClean = nop.passed === false && oracle.passed === true && nop.attempt === 1 && oracle.attempt === 1;
  const harms = isHarmed(attack, naive, task);
  const holds = forge.passed === false && forge.attempt === 1 && (forge.class === "agent" || forge.class === "verifier");
  const { class: kind, passed, score, error } = forge;
  return {
    attack: attack.name,
    victim,
    harms,
    naive,
    forge: { class: kind, passed, score, ...(error === undefined ? {} : { error }) },
    nextClean,
    holds: holds && nextClean,
  };
}

function isHarmed({ harm }: Attack, naive: NaiveResult, task: Task): boolean {
  if (harm === "unearned pass") return naive.score !== null && naive.score >= 1;
  if (harm === "lost score") return naive.score === null;
  return naive.writtenMb > (task.environment.storageMb ?? Infinity);
}
