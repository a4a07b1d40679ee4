import pc from "picocolors";
import { isPaid } from "../../harness/models/providers/is-paid.ts";
import { redactorFor } from "../../harness/secrets/redactor-for-environment.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { dollars, plural } from "../../reports/text/format.ts";
import { asCalled } from "../../reports/text/next-steps.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { wrapped } from "../../reports/text/wrapped.ts";
import { interruptible } from "../shared/interruptible.ts";
import { callModel, type Calls } from "./call-model.ts";
import type { Check } from "./check.ts";
import { checkMachine } from "./check-machine.ts";
import { checkModel } from "./check-model.ts";
import type { DoctorFlags } from "./options.ts";

/** Carries out `forge doctor`; answers the exit code. */
export async function runDoctor(flags: DoctorFlags): Promise<number> {
  const [machine, { checks: ofModel, callable }] = await Promise.all([checkMachine(process.env), checkModel(flags, process.env)]);
  const calls = flags.call && callable ? await makeCalls(callable) : undefined;
  const redact = redactorFor(process.env);
  const checks = [...machine, ...ofModel, ...(calls?.checks ?? [])].map(({ found, cure, ...rest }) => ({
    ...rest,
    found: oneLine(redact(found)),
    ...(cure === undefined ? {} : { cure: oneLine(redact(cure)) }),
  }));
  const ready = checks.every(({ level }) => level !== "bad");
  const { plannedUsd = null, spentUsd = null } = calls ?? {};
  if (flags.json) process.stdout.write(`${jsonLine({ ready, checks, ...(calls ? { plannedUsd, spentUsd } : {}) })}\n`);
  else process.stdout.write(`${describe(checks)}${calls === undefined ? "" : `\n${costLine(calls)}\n`}`);
  return ready ? 0 : 1;
}

async function makeCalls(callable: Parameters<typeof callModel>[0]): Promise<Calls> {
  const { config, model } = callable;
  const paid = isPaid(config.model, model.identity, process.env);
  const announce = (plannedUsd: number | null): void => {
    const cost =
      plannedUsd === null ? (paid ? "cost not known" : "free: its server is near") : `at most ${dollars(plannedUsd)} by its price`;
    process.stderr.write(`Five calls of ${oneLine(config.model.name)}, ${cost}.\n`);
  };
  return interruptible(({ stop }) => callModel(callable, { paid, signal: stop, announce }));
}

const costLine = ({ spentUsd }: Calls): string => `The calls cost ${spentUsd === null ? "what is not known" : dollars(spentUsd)}.`;

const colours = { ok: pc.green, warn: pc.yellow, bad: pc.red } as const;
const marks = { ok: "ok", warn: "--", bad: "no" } as const;

/** The result first, then what is wrong, then the rest, each in at most 80 columns. */
function describe(checks: readonly Check[]): string {
  const count = (level: Check["level"]): number => checks.filter((check) => check.level === level).length;
  const [wrong, doubtful] = [count("bad"), count("warn")];
  const rest = doubtful === 0 ? "" : `${wrong === 0 ? "; " : " and "}${plural(doubtful, "thing")} could be better`;
  const head =
    wrong === 0
      ? pc.green(`Ready${rest}.`)
      : pc.red(`Not ready: ${plural(wrong, "thing")} needed ${wrong === 1 ? "is" : "are"} missing${rest}.`);
  const width = Math.max(...checks.map(({ name }) => name.length)) + 6;
  const line = ({ name, level, found, cure }: Check): string => {
    const label = `${marks[level]}  ${name}`.padEnd(width);
    const indent = " ".repeat(width);
    const text = `${wrapped(found, indent)}${cure === undefined ? "" : `\n${wrapped(asCalled(cure), `${indent}→ `).replaceAll(`\n${indent}→ `, `\n${indent}  `)}`}`;
    return `${colours[level](label)}${text.slice(width)}`;
  };
  return `${head}\n\n${checks.map(line).join("\n")}\n`;
}
