import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const files = execFileSync("git", ["ls-files", "cli", "reports", "evals", "traces", "tasks/formats", "assembly"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => /\.tsx?$/.test(file));

/** What a person may read: the texts of a file without its comments. */
const texts = (file: string): string[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line))
    .map((line) => line.replace(/ \/\/ .*$/, ""))
    .filter((line) => /["`]/.test(line));

const pages = execFileSync("git", ["ls-files", "*.md", ":!docs/lab", ":!docs/results", ":!tasks", ":!test"], { encoding: "utf8" })
  .split("\n")
  .filter((page) => page !== "");

/** Of these pages the source is elsewhere: a generator writes them. */
const generated = /^docs\/(?:commands|detectors|models|trace-format)\.md$|^docs\/middleware\//;

it("has a README of at most 150 lines, and at most 22,000 words in it and the pages of docs/ that a person wrote", () => {
  const written = pages.filter((page) => page === "README.md" || (page.startsWith("docs/") && !generated.test(page)));
  const words = written.map((page) => readFileSync(page, "utf8").match(/\S+/g)?.length ?? 0);
  expect(written.length).toBeGreaterThan(15);
  expect(words.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(22_000);
  expect(readFileSync("README.md", "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(150);
});

describe("a text that a person reads", () => {
  it.each([
    ["nobody can tell", "or that the data cannot decide"],
    ["goes on where", "run the same command again to resume"],
    ["the same command goes on", "run the same command again to resume"],
    ["What it rests on", "Evidence"],
    ["is wanted. Let", "--filter matches no task. Available: …"],
    ["is there already", "already exists"],
    ["and is another one", "with different content"],
    ["tells arms apart", "discriminates between configurations"],
    ["somebody", "a person, another process"],
    [" anew", "again"],
    ["was begun", "was started"],
    ["not begun", "not started"],
    ["the very same", "the same"],
    ["mended", "corrected"],
    ["; mend ", "; correct "],
    ["what was asked", "the request"],
    ["does not answer", "does not respond"],
    ["said nothing", "printed nothing"],
  ])("does not say %j but %j", (not) => {
    expect(files.filter((file) => texts(file).some((line) => line.includes(not)))).toEqual([]);
    expect(pages.filter((page) => readFileSync(page, "utf8").includes(not))).toEqual([]);
  });
});
