// What a run of the tests leaves on the Docker daemon: task images, which Forge keeps for its next job, go; a container, a network or a volume is a fault.
import { spawnSync } from "node:child_process";

/**
 * @typedef {{ images: ReadonlySet<string>, things: ReadonlyMap<string, { pid: number, trial: string }> }} OnDaemon tags, and what else is there by name
 * @typedef {{ test: string, pid: number, folder: string, images: string[] }} Note what test/own-folder.ts writes of each file, one JSON object a line
 */

/**
 * @param {string[]} args
 * @returns {string[]} lines
 */
function docker(...args) {
  const { stdout } = spawnSync("docker", args, { encoding: "utf8" });
  return (stdout ?? "").split("\n").filter(Boolean);
}

/** @returns {OnDaemon} */
export function listDaemon() {
  const labels = '{{.Label "forge.owner"}} {{.Label "forge.trial"}}';
  const own = ["--filter", "label=forge.owner"];
  const lines = [
    ...docker("ps", "--all", ...own, "--format", `container {{.Names}} ${labels}`),
    ...docker("network", "ls", ...own, "--format", `network {{.Name}} ${labels}`),
    ...docker("volume", "ls", ...own, "--format", `volume {{.Name}} ${labels}`),
  ];
  const things = lines.map((line) => {
    const [kind, name, owner = "", trial = ""] = line.split(" ");
    return /** @type {const} */ ([`${kind} ${name}`, { pid: Number.parseInt(owner, 10), trial }]);
  });
  return {
    images: new Set(docker("images", "--filter", "reference=forge-task/*", "--format", "{{.Repository}}:{{.Tag}}")),
    things: new Map(things),
  };
}

/**
 * Removes the images that this run made, and says what else it left. On a daemon that others use, only what a test's own process made is known to be of
 * this run.
 * @param {OnDaemon} before
 * @param {readonly Note[]} notes
 * @param {boolean} alone whether this run has the daemon for itself
 * @param {number} patience seconds that whatever removes the containers of a killed command is given
 * @returns {string[]} a line for each thing left, with the test that left it where that is known
 */
export function clearDaemon(before, notes, alone, patience = 30) {
  const after = settled(listDaemon, ({ things }) => [...things.keys()].every((name) => before.things.has(name)), patience);
  const noted = new Set(notes.flatMap(({ images }) => images));
  const made = [...after.images].filter((tag) => !before.images.has(tag) && (alone || noted.has(tag)));
  if (made.length > 0) docker("rmi", ...made);
  return [...after.things].flatMap(([name, { pid, trial }]) => {
    const test = notes.find((note) => note.pid === pid)?.test;
    if (before.things.has(name) || (!test && !alone)) return [];
    return [`${name}${trial ? ` of trial ${trial}` : ""}, by ${test ?? "a command that a test started"}`];
  });
}

/**
 * What is found once it is as it should be, or patience ends.
 * @template T
 * @param {() => T} look
 * @param {(found: T) => boolean} isClean
 * @param {number} patience seconds
 * @returns {T}
 */
export function settled(look, isClean, patience) {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let seconds = 0; ; seconds += 1) {
    const found = look();
    if (seconds >= patience || isClean(found)) return found;
    Atomics.wait(pause, 0, 0, 1000);
  }
}
