#!/usr/bin/env node
import { forgeVersion } from "./version.ts";

// The two answers that scripts ask for most load nothing else.
const [first] = process.argv.slice(2);
if (first === "--version" || first === "-V") process.stdout.write(`${forgeVersion()}\n`);
else await (await import("./program.ts")).runProgram(process.argv.slice(2));
