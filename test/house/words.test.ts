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
