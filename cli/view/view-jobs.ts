import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { serve } from "@hono/node-server";
import pc from "picocolors";
import { CannotError } from "../../harness/errors.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { createViewerApp } from "../../reports/viewer/create-viewer-app.ts";
import { createPlaces, runAddress, type Places } from "../../reports/viewer/places.ts";
import { relativeAddress } from "../../reports/html/markup.ts";
import { hasTrace } from "../../traces/format/trace-files.ts";
import { askDryInChild } from "./ask-dry-in-child.ts";
import { otherRuns } from "./other-runs.ts";
import { closed, listening } from "../shared/serving.ts";
import { interruptible } from "../shared/interruptible.ts";
import { findJob } from "../../evals/job/find-jobs.ts";
import { openBundle } from "../../traces/store/open-bundle.ts";
import { runFolders } from "../../traces/store/known-runs.ts";
import { systemClock } from "../../harness/system-ports.ts";
import type { ViewFlags } from "./options.ts";

/** The built pages, beside the compiled viewer. */
const builtPages = (): string => fileURLToPath(new URL("../../reports/viewer/page", import.meta.url));

const host = "127.0.0.1";

/** Carries out `forge view`: serves until it is interrupted, which is its proper end; answers the exit code. */
export async function view(asked: readonly string[], flags: ViewFlags): Promise<number> {
  const { port = 0 } = flags;
  const shown = await Promise.all((asked.length > 0 ? asked : runFolders([])).map(rootOf));
  const roots = shown.map(({ folder }) => folder);
  const token = randomBytes(16).toString("base64url");
  let bound = port;
  const names = new Map(shown.flatMap(({ folder, name }): [string, string][] => (name === undefined ? [] : [[folder, name]])));
  const folders = { cwd: process.cwd(), roots, names };
  const app = createViewerApp({
    ...folders,
    pages: builtPages(),
    token,
    port: () => bound,
    clock: systemClock,
    otherRuns: otherRuns(roots),
    dry: askDryInChild,
    onDefect: (sentence) => void process.stderr.write(`${sentence}\n`),
  });
  return interruptible(async ({ stop }) => {
    const server = serve({ fetch: (request) => app.fetch(request), hostname: host, port }) as Server; // made without options of its own, it is node:http's
    await listening(server, host, port);
    bound = (server.address() as AddressInfo).port; // a listening TCP server has one
    const url = `http://${host}:${bound}/${firstPage(shown, createPlaces(folders))}#token=${token}`;
    if (flags.json) process.stdout.write(`${JSON.stringify({ url, port: bound })}\n`);
    else process.stdout.write(`${url}\n${pc.dim("For this machine alone, and only with this address. Ctrl-C ends it.")}\n`);
    if (flags.open ?? (process.stdout.isTTY && !flags.json)) openBrowser(url);
    if (!stop.aborted) await once(stop, "abort");
    app.stop();
    await closed(server);
    return 0;
  });
}

interface Shown {
  readonly folder: string;
  readonly seq?: number;
  /** Of a bundle, which lies unpacked in a folder that nobody named. */
  readonly name?: string;
}

async function rootOf(name: string): Promise<Shown> {
  const [, path = name, seq] = existsSync(name) ? [] : (/^(.+):(\d+)$/.exec(name) ?? []);
  const stat = statSync(path, { throwIfNoEntry: false });
  const isBundle = stat !== undefined && !stat.isDirectory();
  const folder = isBundle ? await openBundle(path) : stat ? resolve(path) : await findJob(path);
  if (seq !== undefined && !hasTrace(folder)) throw new CannotError(`${oneLine(path)} is no run's folder, so it has no event ${seq}.`);
  return { folder, ...(seq === undefined ? {} : { seq: Number(seq) }), ...(isBundle ? { name: basename(path) } : {}) };
}

/** Of a single job or run its own page; else the list. */
function firstPage(shown: readonly Shown[], places: Places): string {
  const [only] = shown;
  if (!only || shown.length > 1) return "";
  const place = places.of(only.folder);
  if (hasTrace(only.folder)) return relativeAddress(runAddress(place, only.seq) ?? "");
  return existsSync(join(only.folder, "lock.json")) ? relativeAddress(`job/${place}`) : "";
}

/** Where there is no browser the address is printed all the same. */
function openBrowser(url: string): void {
  const [command, ...args] =
    process.platform === "darwin" ? ["open", url] : process.platform === "win32" ? ["explorer", url] : ["xdg-open", url];
  if (command === undefined) return;
  spawn(command, args, { stdio: "ignore", detached: true })
    .on("error", () => undefined)
    .unref();
}
