// The folder for all temporary files of a run of the tests. In memory where there is room: on a disk a fifth of their time goes into making and removing files.
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, sep } from "node:path";
import { settled } from "./leftovers.mjs";

/** @typedef {import("./leftovers.mjs").Note} Note */

const memory = "/dev/shm";
/** Bytes, thirty times what the tests without containers were seen to hold at a time. */
const room = 4 * 2 ** 30;
const noted = "notes";

/** @returns {string} TMPDIR where that is set, else the memory of this machine if it has twice the room, else where temporary files go */
function parentFolder() {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    if (
      process.env["TMPDIR"] === undefined &&
      bavail * bsize >= room &&
      process.availableMemory() >= 2 * room &&
      !/ \/dev\/shm \S+ \S*noexec/.test(mounts())
    )
      return memory;
  } catch {
    // There is none.
  }
  return tmpdir();
}

const mounts = () => readFileSync("/proc/mounts", "utf8");

/**
 * A folder that goes with this process; those of killed runs, which would fill the memory, go now.
 * @param {string} [parent]
 * @returns {{ folder: string, notes: string }} its path, short because sockets are made below it, and a folder in it for what is noted of the run
 */
export function makeTestFolder(parent = parentFolder()) {
  for (const name of readdirSync(parent)) {
    const other = join(parent, name);
    const maker = join(other, noted, "pid");
    if (/^f\w{6}$/.test(name) && existsSync(maker) && !lives(Number(readFileSync(maker, "utf8"))))
      rmSync(other, { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(parent, "f"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, noted));
  writeFileSync(join(folder, noted, "pid"), String(process.pid));
  return { folder, notes: join(folder, noted) };
}

/**
 * Removes a run's folder, with what was left in it, and ends the processes that still run there.
 * @param {string} folder
 * @param {readonly Note[]} notes which test had which folder in it
 * @param {number} patience seconds that what is ending is given
 * @returns {string[]} a line for each folder and process left, with the test that left it where that is known
 */
export function clearTestFolder(folder, notes, patience = 10) {
  const left = settled(
    () => listProcesses(folder),
    ({ length }) => length === 0,
    patience,
  );
  const by = (/** @type {string} */ own) => `, by ${notes.find((note) => note.folder === own)?.test ?? "a test that did not end"}`;
  const lines = [
    ...readdirSync(folder).flatMap((name) =>
      name.startsWith("forge-") ? [`folder ${name}${holding(join(folder, name))}${by(join(folder, name))}`] : [],
    ),
    ...left.map(({ pid, command, own }) => `process ${pid} (${command})${by(own)}`),
  ];
  for (const { pid } of left) end(pid);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  return lines;
}

/**
 * @param {string} folder
 * @returns {string} one path in it, by which what made it is found
 */
function holding(folder) {
  try {
    const path = readdirSync(folder, { recursive: true, encoding: "utf8" }).at(-1);
    return path === undefined ? "" : ` with ${path}`;
  } catch {
    return ""; // It is a file, or has just gone.
  }
}

/** @typedef {{ pid: number, command: string, own: string }} Left */

/**
 * @param {string} folder
 * @returns {Left[]} the processes with a temporary folder below it
 */
function listProcesses(folder) {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").flatMap((name) => {
    try {
      if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
      const own = /(?:^|\0)TMPDIR=([^\0]*)/.exec(readFileSync(`/proc/${name}/environ`, "latin1"))?.[1];
      if (!own?.startsWith(folder + sep)) return [];
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8")
        .split("\0")
        .slice(0, 3)
        .map((part) => basename(part))
        .join(" ")
        .trim();
      return command === "" ? [] : [{ pid: Number(name), command, own }];
    } catch {
      return []; // It has ended, or is another user's.
    }
  });
}

/**
 * @param {number} pid
 * @returns {boolean}
 */
function lives(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** @param {number} pid */
function end(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
