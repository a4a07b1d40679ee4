import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { faultKinds, faults, type FaultKind } from "../../../../harness/models/simulated/faults/fault-kinds.ts";
import { profileOf } from "../../../../harness/models/simulated/profiles.ts";

it("docs/simulated-model.md has each fault with its rates, place and levers", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/simulated-model.md"), "utf8");
  const rows = page.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  const shown = (rate: number): string => (rate === 0 ? "–" : String(rate));
  for (const fault of faults) {
    const { does, place, levers }: FaultKind = faultKinds[fault];
    const row = rows.find((cells) => cells[1] === `\`${fault}\``);
    const rates = ["default", "careless", "varied"].map((name) => shown(profileOf(name).rates[fault]));
    expect(row?.slice(1, 7), fault).toEqual([`\`${fault}\``, does, ...rates, place]);
    expect(
      levers.every((lever) => lever === "none" || row?.[7]?.includes(`\`${lever}\``)),
      fault,
    ).toBe(true);
  }
});
