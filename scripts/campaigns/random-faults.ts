/**
 * 200 trials while random things go wrong: see `stage/random-faults-scene.ts`. `npx jiti scripts/campaigns/random-faults.ts [--seed 1]`; half an hour on
 * two processors. `npm run bench -- faults` does the same with fewer faults.
 */
import { campaign } from "./stage/campaign.ts";
import { randomFaults } from "./stage/random-faults-scene.ts";

await campaign(async function* (stage) {
  yield await randomFaults(stage, { faults: 60, pauseMs: [2_000, 7_000] });
});
