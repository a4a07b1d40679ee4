import { existsSync } from "node:fs";
import { basename } from "node:path";
import { replayParts } from "../../../assembly/registry.ts";
import { ConfigError } from "../../../harness/errors.ts";
import { plural } from "../../../reports/text/format.ts";
import { jsonLine } from "../../../reports/text/json-line.ts";
import { nextSteps } from "../../../reports/text/next-steps.ts";
import { oneLine } from "../../../harness/text/printable.ts";
import type { Bundle } from "../../../traces/bundle/bundle-format.ts";
import { redactorFor } from "../../../harness/secrets/redactor-for-environment.ts";
import { interruptible } from "../../shared/interruptible.ts";
import { packBundle, type PackedBundle } from "../../../traces/bundle/pack-bundle.ts";
import { takenOutText } from "./taken-out-text.ts";
import { forgeVersion } from "../../../harness/package/package-root.ts";
import type { BundleFlags } from "./options.ts";

/** Carries out `forge traces bundle`; answers the exit code: 1 where a run replays no longer since something was taken out of it. */
export async function bundleRuns(folders: readonly string[], o: BundleFlags): Promise<number> {
  if (existsSync(o.out)) throw new ConfigError(`--out: ${o.out} already exists; remove it, or name another file.`);
  try {
    const { bundle, verdicts, broken, written } = await interruptible(({ stop }) =>
      packBundle(folders, {
        out: o.out,
        forgeVersion: forgeVersion(),
        parts: replayParts({ trust: false }),
        makeRedactor: (onFound) => redactorFor(process.env, { onFound }),
        stop,
      }),
    );
    if (o.json)
      process.stdout.write(`${jsonLine({ type: "bundle", out: o.out, ...bundle, ...written, replay: Object.fromEntries(verdicts) })}\n`);
    else process.stdout.write(`${describe(o.out, { bundle, verdicts, ...written })}\n`);
    return broken ? 1 : 0;
  } catch (error) {
    if (!(error instanceof Error && error.message === "interrupted")) throw error;
    process.stderr.write("Interrupted: no bundle was written.\n");
    return 130;
  }
}

function describe(
  out: string,
  o: { bundle: Bundle; verdicts: PackedBundle["verdicts"]; files: number; bytes: number; archiveBytes: number; sha256: string },
): string {
  const size = (n: number): string => (n < 1e6 ? `${(n / 1e3).toFixed(1)} kB` : `${(n / 1e6).toFixed(1)} MB`);
  const tally = new Map<string, number>();
  for (const { verdict } of o.verdicts.values()) tally.set(verdict, (tally.get(verdict) ?? 0) + 1);
  const replays = [...o.verdicts.values()].some(({ verdict }) => verdict !== "cannot");
  const others = [...o.verdicts].filter(([, { verdict }]) => verdict !== "exact");
  return [
    `${oneLine(out)}: ${plural(o.bundle.runs.length, "run")}, ${plural(o.files, "file")}, ${size(o.bytes)}, packed ${size(o.archiveBytes)}`,
    `sha256 ${o.sha256}`,
    takenOutText(o.bundle.takenOut),
    `replayed from the bundle: ${[...tally].map(([verdict, count]) => `${count} ${verdict}`).join(", ")}`,
    ...others.map(([name, { verdict, text }]) => `  ${oneLine(name)}: ${verdict}, ${oneLine(text)}`),
    "Secrets are known by their shape, or as values of this environment. Look through what an agent saw before you publish it.",
    nextSteps([["Elsewhere", `${replays ? "replay" : "traces list"} ${oneLine(basename(out))}`]]),
  ].join("\n");
}
