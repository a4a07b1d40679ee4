#!/usr/bin/env node
import { loadAtOnce } from "../harness/package/load-at-once.ts";
import { forgeVersion } from "../harness/package/package-root.ts";

// Colour only on a terminal: its library also colours wherever CI is set.
if (!process.stdout.isTTY && !process.env["FORCE_COLOR"]) process.env["NO_COLOR"] = "1";

// The two answers that scripts ask for most load nothing else.
const [first] = process.argv.slice(2);
if (first === "--version" || first === "-V") process.stdout.write(`${forgeVersion()}\n`);
else {
  loadAtOnce(import.meta.url, "./program.js");
  await (await import("./program.ts")).runProgram(process.argv.slice(2));
}
