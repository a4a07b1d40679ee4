/** Records for ever in the folder of its argument and prints, after each flush, how many events are durable: for a test that kills it. */
import { recordTrace } from "../../../traces/record/record-trace.ts";

const trace = recordTrace(process.argv[2] ?? "", { clock: { now: () => Date.now(), sleep: async () => undefined }, micros: () => 0 });
for (let n = 0; ; n++) {
  trace.emit({ t: "note", lane: "main", n, cause: [], d: { text: `${n} `.repeat(n % 3 === 0 ? 3000 : 5) } });
  if (n % 4 !== 3) continue;
  await trace.flush();
  if (!process.stdout.write(`${n + 1}\n`)) await new Promise((resolve) => process.stdout.once("drain", resolve));
}
