// Brings a fresh clone to the point where dist/cli/main.js runs. Built-ins only: it starts before anything is installed.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, rmSync, statSync } from "node:fs";
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
      `${what} failed (${command} ${args.join(" ")}: ${how}). What it printed above names the cause; mend that and run the same command again.`,
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

function install() {
  const installed = join(root, "node_modules", ".package-lock.json");
  const wanted = statSync(join(root, "package-lock.json")).mtimeMs;
  if (existsSync(installed) && statSync(installed).mtimeMs >= wanted) return;
  console.log("Installing the packages of package-lock.json (npm ci) …");
  must("Installing the packages", "npm", ["ci", "--include=dev", "--no-audit", "--no-fund"]);
}

/** Compiles into an empty dist, so that nothing of an earlier build is left; the viewer's pages go beside the server that sends them. */
export function build() {
  rmSync(join(root, "dist"), { recursive: true, force: true });
  const tsc = [join(root, "node_modules", "typescript", "bin", "tsc"), "-p", "tsconfig.build.json"];
  must("Compiling", process.execPath, [...tsc, "--removeComments"]);
  must("Writing the public types", process.execPath, [...tsc, "--declaration", "--emitDeclarationOnly"]);
  keepPublicTypes(join(root, "dist"), ["index.d.ts", "testing.d.ts"]);
  buildPages(join(root, "dist", "reports", "viewer", "page"));
  chmodSync(join(root, "dist", "cli", "main.js"), 0o755);
}

/**
 * Bundles the viewer's pages.
 * @param {string} folder
 */
function buildPages(folder) {
  const vite = [join(root, "node_modules", "vite", "bin", "vite.js"), "build", join(root, "reports", "viewer", "page")];
  must("Bundling the viewer's pages", process.execPath, [...vite, "--outDir", folder, "--emptyOutDir", "--logLevel", "warn"]);
}

/** Checks Node, installs what is missing, builds. */
export function prepare() {
  checkNode();
  process.chdir(root);
  install();
  console.log("Building …");
  build();
}
