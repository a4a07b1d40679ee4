import { z } from "zod";
import type { JobFolder } from "../../job/job-folder.ts";
import type { TrialRecord } from "../../trial/trial-record.ts";
import { createFindings, type Check } from "./findings.ts";
import { createReadStream } from "node:fs";
import { DamagedError } from "../../../harness/errors.ts";

const lineSchema = z.looseObject({ t: z.string() });
const endSchema = z.looseObject({
  task: z.string(),
  configuration: z.string(),
  repeat: z.int(),
  attempt: z.int(),
  class: z.string(),
  passed: z.boolean().nullable(),
});

const measured = new Set(["passed", "agent", "verifier"]);

/** What the journal tells of attempts against their records. It may lack one: a crash between the two is made good from the record. */
export async function checkJournal(job: JobFolder, attempts: readonly TrialRecord[], signal: AbortSignal): Promise<Check[]> {
  const findings = createFindings("journal", signal);
  const nameOf = ({ task, configuration, repeat, attempt }: Pick<TrialRecord, "task" | "configuration" | "repeat" | "attempt">): string =>
    JSON.stringify([task, configuration, repeat, attempt]);
  const records = new Map(attempts.map((record) => [nameOf(record), record]));
  await findings.look("journal.jsonl", async () => {
    let n = 0;
    let closed = false;
    for await (const text of readLinesOf(job.journal)) {
      n += 1;
      const line = lineSchema.safeParse(parse(text));
      if (!line.success) return findings.fails(`journal.jsonl, line ${n}, is not an entry of a journal`);
      closed = line.data.t === "job.close" || (closed && line.data.t !== "job.open");
      if (line.data.t !== "attempt.end") continue;
      const told = endSchema.safeParse(line.data);
      const record = told.success ? records.get(nameOf(told.data)) : undefined;
      if (!told.success) return findings.fails(`journal.jsonl, line ${n}, does not record how an attempt ended`);
      if (record && (record.class !== told.data.class || record.passed !== told.data.passed))
        findings.fails(
          `journal.jsonl, line ${n}: ${record.task}, ${record.configuration}, repeat ${record.repeat} ended as ${told.data.class}, and its record has ${record.class}`,
        );
      else if (record) findings.holds();
      // an attempt that was measured is never removed, so a trial that is missing was taken away
      else if (measured.has(told.data.class))
        findings.fails(
          `journal.jsonl, line ${n}: ${told.data.task}, ${told.data.configuration}, repeat ${told.data.repeat} ended as ${told.data.class}, and there is no record of it`,
        );
    }
    if (!closed) findings.fails("journal.jsonl does not end with the job's end");
  });
  return findings.checks((count) => `${count} ends of attempts as their records have them`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const longest = 16 * 1024 ** 2;

/** The lines of a text file without their newlines; what stands behind the last newline is no line. Memory stays flat. @throws DamagedError for a line over 16 MiB. */
async function* readLinesOf(path: string): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    let bytes = Buffer.concat([rest, chunk as Buffer]); // a stream without an encoding gives buffers
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a)) {
      yield bytes.toString("utf8", 0, end);
      bytes = bytes.subarray(end + 1);
    }
    if (bytes.length > longest) throw new DamagedError(`${path} has a line longer than 16 MiB.`);
    rest = bytes;
  }
}
