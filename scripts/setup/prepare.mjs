// Brings a fresh clone to the point where dist/cli/main.js runs. Built-ins only: it starts before anything is installed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { keepPublicTypes } from "./public-types.mjs";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Says one line and ends with it.
 * @param {string} sentence
 * @param {number} [code]
 * @returns {never}
 */
export function giveUp(sentence, code = 3) {
  console.error(sentence);
  process.exit(code);
}

/**
 * Runs a program of the set-up in the project's folder and gives up, naming it, when it fails.
 * @param {string} what what it was for, in words
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
export function must(what, command, args, env = process.env) {
  const { error, status, signal } = spawnSync(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"], env });
  if (error || status !== 0) {
    const how = error ? error.message : signal ? `ended by ${signal}` : `exit code ${status}`;
    giveUp(
      `${what} failed (${command} ${args.join(" ")}: ${how}). What it printed above names the cause; correct that and run the same command again.`,
    );
  }
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  giveUp(
    `Forge needs Node 20.19 or newer, and this is Node ${process.versions.node}: install a newer one from https://nodejs.org and run the same command again.`,
  );
}

/**
 * @typedef {{ packages: Record<string, { version?: string, optional?: boolean }> }} Lock a lock file, or npm's own record of what is installed
 * @param {string} file
 * @returns {Lock["packages"]}
 */
function packagesOf(file) {
  /** @type {Lock} */
  const { packages } = JSON.parse(readFileSync(file, "utf8"));
  return packages;
}

/** Whether every package has the version of package-lock.json: by content, because a checkout makes the file's time new. */
function isInstalled() {
  const record = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(record)) return false;
  const there = packagesOf(record);
  return Object.entries(packagesOf(join(root, "package-lock.json"))).every(
    ([path, { version, optional }]) => path === "" || (optional && !there[path]) || there[path]?.version === version,
  );
}

function install() {
  if (isInstalled()) return;
  console.log("Installing the packages of package-lock.json (npm ci) …");
  must("Installing the packages", "npm", ["ci", "--include=dev", "--no-audit", "--no-fund"]);
}

/** Compiles into an empty dist, so that nothing of an earlier build is left; the viewer's pages go beside the server that sends them. */
export function build() {
  rmSync(join(root, "dist"), { recursive: true, force: true });
  const sources = hashSources();
  const tsc = [join(root, "node_modules", "typescript", "bin", "tsc"), "-p", "tsconfig.build.json"];
  must("Compiling", process.execPath, [...tsc, "--removeComments"]);
  must("Tightening what was compiled", process.execPath, [join(root, "scripts", "setup", "tighten.mjs")]);
  must("Writing the public types", process.execPath, [...tsc, "--declaration", "--emitDeclarationOnly"]);
  keepPublicTypes(join(root, "dist"), ["index.d.ts", "testing.d.ts"]);
  buildPages(join(root, "dist", "reports", "viewer", "page"));
  chmodSync(join(root, "dist", "cli", "main.js"), 0o755);
  writeFileSync(builtFrom, sources);
}

/** In dist, so that whatever removes the build removes this too: the hash of what it was made from. */
const builtFrom = join(root, "dist", ".built-from");
const sourceFolders = ["harness", "middleware", "tasks", "traces", "evals", "analyzer", "reports", "assembly", "cli"];
const sourceFiles = ["index.ts", "testing.ts", "package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];

/** @returns {string} the hash of everything that a build reads */
function hashSources() {
  const hash = createHash("sha256");
  const below = sourceFolders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  );
  const read = below.filter((path) => /\.(?:tsx?|mjs|css|html|json)$/.test(path) && !path.startsWith(join("tasks", "suites")));
  for (const path of [...sourceFiles, ...read.toSorted()]) hash.update(`${path}\n`).update(readFileSync(join(root, path)));
  return hash.digest("hex");
}

/** @returns {boolean} whether dist was made from the sources as they are */
export function isBuilt() {
  return existsSync(builtFrom) && readFileSync(builtFrom, "utf8") === hashSources();
}

/**
 * Bundles the viewer's pages.
 * @param {string} folder
 */
function buildPages(folder) {
  const vite = [join(root, "node_modules", "vite", "bin", "vite.js"), "build", join(root, "reports", "viewer", "page")];
  must("Bundling the viewer's pages", process.execPath, [...vite, "--outDir", folder, "--emptyOutDir", "--logLevel", "warn"]);
}

/** Checks Node and installs what is missing. */
export function prepare() {
  checkNode();
  process.chdir(root);
  install();
}

/** Builds where dist was made from other sources. */
export function buildIfStale() {
  if (isBuilt()) return;
  console.log("Building …");
  build();
}
