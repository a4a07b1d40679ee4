import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { assembleMiddleware, configRegistry } from "../../../assembly/registry.ts";
import { runAgent } from "../../../harness/agent/run-agent.ts";
import { benchSources } from "../../../harness/config/config-source.ts";
import { loadConfig } from "../../../harness/config/load-config.ts";
import { middleware } from "../../../harness/contract/middleware.ts";
import { createFixtureSandbox } from "../../../harness/fixtures/fixture-sandbox.ts";
import { createFixtureTools } from "../../../harness/fixtures/fixture-tools.ts";
import { createModel } from "../../../harness/models/create-model.ts";
import { nobody, randomPort, systemClock } from "../../../harness/system-ports.ts";

/** What a conversation inside this process is made of. */
export const sourceParts = {
  assembleMiddleware,
  configRegistry,
  runAgent,
  benchSources,
  loadConfig,
  middleware,
  createFixtureSandbox,
  createFixtureTools,
  createModel,
  nobody,
  randomPort,
  systemClock,
};
export type ForgeParts = typeof sourceParts;

/** The same of a build. `main` is its `dist/cli/main.js`; a build from before the present one has the same parts. */
export async function builtParts(main: string): Promise<ForgeParts> {
  const files = [
    "assembly/registry",
    "harness/agent/run-agent",
    "harness/config/config-source",
    "harness/config/load-config",
    "harness/contract/middleware",
    "harness/fixtures/fixture-sandbox",
    "harness/fixtures/fixture-tools",
    "harness/models/create-model",
    "harness/system-ports",
  ];
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(join(main, "../..", `${file}.js`)).href) as Promise<object>));
  return Object.assign({}, ...modules) as ForgeParts; // checked by nothing: what is missing ends the campaign
}
