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
    ["somebody else's", "another person's"],
  ])("does not say %j but %j", (not) => {
    expect(files.filter((file) => texts(file).some((line) => line.includes(not)))).toEqual([]);
  });
});
