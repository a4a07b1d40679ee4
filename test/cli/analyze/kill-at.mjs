// Loaded into the command before it begins (NODE_OPTIONS=--import): ends it by SIGKILL at its n-th durable step, in the middle of it.
// KILL_AT: n, from 1; of a write the first half is on the disk then. KILL_COUNT: a file that holds how many steps there were.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const at = Number(process.env["KILL_AT"] ?? 0);
const count = process.env["KILL_COUNT"];
let steps = 0;

/** @param {() => void} half what of the step is done when the process ends */
function step(half) {
  steps += 1;
  if (count) fs.writeFileSync(count, String(steps));
  if (steps !== at) return;
  half();
  process.kill(process.pid, "SIGKILL");
  for (;;); // nothing more of this process, however late the signal is
}

const { rename, link } = fs.promises;
fs.promises.rename = (...names) => (step(() => {}), rename(...names));
fs.promises.link = (...names) => (step(() => {}), link(...names));
const file = await fs.promises.open(process.execPath);
const handle = Object.getPrototypeOf(file);
await file.close();
const { appendFile, write, writeFile } = handle;
for (const [name, real] of Object.entries({ appendFile, write, writeFile }))
  handle[name] = /** @param {string | Uint8Array} data @param {unknown[]} rest */ function (data, ...rest) {
    const bytes = Buffer.from(data);
    step(() => fs.writeSync(this.fd, bytes, 0, Math.floor(bytes.length / 2)));
    return /** @type {Promise<void>} */ (real.call(this, data, ...rest));
  };
syncBuiltinESMExports();
