import { createHash } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Where scripts/campaigns/hold-tasks.ts collects what passed; without it, the tests run. */
const notes = process.env["FORGE_HOLD_TASKS"];
// Written by the campaign alone.
const held = JSON.parse(readFileSync(join(import.meta.dirname, "held.json"), "utf8")) as Readonly<Record<string, string>>;

/**
 * Runs a case of a campaign where something in it changed since the campaign held it, and always where it is of the sample. `content` is everything in the
 * repository's data that decides how it ends: a task's digest, a program with its inputs. `run` hears whether the whole case is to be held, or what was
 * held before is only tried again.
 */
export async function holdChanged(
  name: string,
  content: unknown,
  { sample }: { readonly sample: boolean },
  run: (whole: boolean) => Promise<void>,
): Promise<void> {
  const hash = createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 16);
  const whole = notes !== undefined || held[name] !== hash;
  if (!whole && !sample) return;
  await run(whole);
  if (notes) appendFileSync(notes, `${JSON.stringify([name, hash])}\n`);
}
