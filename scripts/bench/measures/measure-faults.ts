import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { seededRandom } from "../../../harness/seeded-random.ts";
import { randomFaults } from "../../campaigns/stage/random-faults-scene.ts";
import type { Measure } from "../measure.ts";

const what = "left over after 200 trials with random faults";
const faults = 40;

/** What a job leaves behind while its containers are killed and it is killed itself. It takes minutes, so only who asks for it gets it. */
export async function measureFaults(
  root: string,
  folder: string,
  say: (line: string) => void,
  o: { readonly asked: boolean; readonly withoutDocker: { reason: string; cure: string } | undefined },
): Promise<Measure[]> {
  if (!o.asked) return [{ what, skipped: "takes ten to fifteen minutes; provided by: npm run bench -- faults" }];
  if (o.withoutDocker) return [{ what, skipped: `${o.withoutDocker.reason}; provided by: ${o.withoutDocker.cure}` }];
  const [place, temporary] = [join(folder, "faults"), join(folder, "faults", "tmp")];
  await mkdir(temporary, { recursive: true });
  const main = join(root, "dist", "cli", "main.js");
  const began = performance.now();
  const stage = { main, folder: place, temporary, random: seededRandom(1), sandbox: "docker", say };
  const { done, recovery, left, problems } = await randomFaults(stage, { faults, pauseMs: [1_000, 5_000] });
  const wrong = [...left, ...problems];
  const minutes = ((performance.now() - began) / 60_000).toFixed(0);
  return [
    {
      what,
      value: wrong.length,
      unit: "things",
      limit: { at: "most", value: 0 },
      note: `${wrong.length > 0 ? `${wrong.join(", ")}; ` : ""}${done}; ${recovery}; ${minutes} minutes`,
    },
  ];
}
