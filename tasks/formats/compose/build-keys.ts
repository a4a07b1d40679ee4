import { ConfigError } from "../../../harness/errors.ts";
import type { ServiceData } from "./compose-file.ts";

/** Keys with which an image could be built of what is no part of the task, or with rights over the machine: by key, what they ask for. */
const refused: Readonly<Record<string, string>> = {
  additional_contexts: "files from elsewhere than its context",
  ssh: "keys of the machine",
  secrets: "secrets of the machine",
  privileged: "the rights of the machine while it builds",
  entitlements: "the rights of the machine while it builds",
};

const known = new Set(["context", "dockerfile", "target", "args"]);
/** How an image is made or called, and nothing of what is in it. */
const meaningless = new Set(["cache_from", "cache_to", "no_cache", "pull", "tags", "provenance", "sbom", "labels"]);

/**
 * Goes through the keys below a service's `build`. Throws `ConfigError` for one that leads out of the task, or without which the image would be another;
 * answers a sentence for each key that is left out.
 */
export function checkBuildKeys(build: Exclude<NonNullable<ServiceData["build"]>, string>, place: string): string[] {
  const warnings: string[] = [];
  for (const [key, value] of Object.entries(build)) {
    if (value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0)) continue;
    if (key === "dockerfile_inline")
      throw new ConfigError(
        `${place}.${key}: a Dockerfile within the compose file is not carried out. Write it into a file, and name that.`,
      );
    if (Object.hasOwn(refused, key))
      throw new ConfigError(
        `${place}.${key}: needs ${refused[key]}, which no task gets. Remove ${key}, or leave the task out with --filter.`,
      );
    if (key === "network" && !["default", "bridge", "none"].includes(String(value)))
      throw new ConfigError(
        `${place}.${key}: ${JSON.stringify(value)}: an image is built with the engine's own network, and no task gets the machine's. Remove ${key}, or leave the task out with --filter.`,
      );
    if (!known.has(key) && key !== "network" && !meaningless.has(key) && !key.startsWith("x-"))
      warnings.push(`${place}.${/^\w{1,40}$/.test(key) ? key : JSON.stringify(key.slice(0, 40))} is not carried out; it is left out.`);
  }
  return warnings;
}
