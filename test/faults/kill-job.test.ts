import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { killCampaign } from "../../scripts/campaigns/kill-campaign.ts";
import { built, cleanUp, emptyFolder } from "../e2e/forge.ts";
import { needs } from "../needs.ts";

const sandbox = needs("docker") ? "local-unsafe" : "docker";
beforeAll(built, 180_000);
afterAll(cleanUp);

describe(`a job in ${sandbox} whose runner is killed at random moments and resumed`, { timeout: 300_000 }, () => {
  it("counts every trial once, has the table of an undisturbed run and leaves nothing", async () => {
    const said: string[] = [];
    const main = join(import.meta.dirname, "../../dist/cli/main.js");
    const summary = await killCampaign({
      main,
      folder: emptyFolder(),
      kills: 2,
      repeats: 1,
      configurations: ["bare"],
      seed: 7,
      sandbox,
      say: (line) => said.push(line),
    });
    expect(summary.problems, said.join("\n")).toEqual([]);
    expect(summary).toMatchObject({ kills: 2, trials: 3 });
  });
});
