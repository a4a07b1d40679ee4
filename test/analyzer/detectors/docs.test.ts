import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { detectorsPage } from "../../../scripts/docs/generate-detector-docs.ts";

it("docs/detectors.md says what the detectors say of themselves", async () => {
  expect(readFileSync("docs/detectors.md", "utf8")).toBe(await detectorsPage());
});
