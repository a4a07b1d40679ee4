import { readFileSync } from "node:fs";

/** Rows of a table of published outcomes, without its head. */
export const outcomes = (file: "codetracer-outcomes.csv" | "terminal-bench-core-trials.csv"): string[][] =>
  readFileSync(new URL(`../../fixtures/outcomes/${file}`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((row) => row.split(","));
