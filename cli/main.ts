#!/usr/bin/env node
// Nothing is imported before the version is known: an older Node cannot even parse some of what follows. The least is that of `engines` in package.json.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `error: Forge needs Node 20.19 or newer, and this is Node ${process.versions.node}: install a newer one from https://nodejs.org and run the same command again.\n`,
  );
  process.exitCode = 3;
} else {
  // Colour only on a terminal: its library also colours wherever CI is set.
  if (!process.stdout.isTTY && !process.env["FORCE_COLOR"]) process.env["NO_COLOR"] = "1";

  // The two answers that scripts ask for most load nothing else.
  const [first] = process.argv.slice(2);
  if (first === "--version" || first === "-V")
    process.stdout.write(`${(await import("../harness/package/package-root.ts")).forgeVersion()}\n`);
  else {
    (await import("../harness/package/load-at-once.ts")).loadAtOnce(import.meta.url, "./program.js");
    await (await import("./program.ts")).runProgram(process.argv.slice(2));
  }
}

export {};
