// npm run parity: the same tasks and end states under Forge and under Harbor; exits 1 when fewer than 99 % of the rewards agree.
import { runParity } from "./parity/run-parity.ts";

process.exitCode = await runParity(process.argv.slice(2));
