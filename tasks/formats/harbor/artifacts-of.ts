import { posix } from "node:path";
import { ConfigError } from "../../../harness/errors.ts";
import type { Artifact } from "../../verification.ts";
import { shownValue } from "../read/shown-value.ts";
import type { ArtifactToml } from "./task-toml.ts";

/**
 * Artifacts as task.toml lists them. `key` is the list's place, for messages; `services` the other services of the task. Throws `ConfigError` for
 * a path that could lead out of where it is read or kept, and for a service that is not there.
 */
export function artifactsOf(list: readonly ArtifactToml[], key: string, services: readonly string[]): Artifact[] {
  return list.map(({ source, destination, exclude, service }, index) => {
    const place = `${key}.${index}`;
    refusePath(source, `${place}.source`);
    const main = service === undefined || service === "main";
    if (!main && !services.includes(service))
      throw new ConfigError(
        `${place}.service: the task has no service "${service}". Name one of docker-compose.yaml, or leave the key out.`,
      );
    if (!main && !source.startsWith("/"))
      throw new ConfigError(
        `${place}.source: ${shownValue(source)} comes from another service and must be an absolute path. Write it from the root.`,
      );
    if (destination !== undefined && destination !== "") {
      refusePath(destination, `${place}.destination`);
      if (/^[/\\]|\\|^[A-Za-z]:/.test(destination) || destination.replace(/[/.]/g, "") === "")
        throw new ConfigError(
          `${place}.destination: ${shownValue(destination)} must be a relative path with forward slashes. Artifacts are kept below the trial.`,
        );
      if (posix.normalize(destination).split("/")[0] === "manifest.json")
        throw new ConfigError(
          `${place}.destination: ${shownValue(destination)}: "manifest.json" is the list of the artifacts itself. Choose another name.`,
        );
    }
    for (const [i, pattern] of exclude.entries()) if (hasControl(pattern)) throw new ConfigError(control(`${place}.exclude.${i}`, pattern));
    return { source, exclude, ...(destination !== undefined && destination !== "" && { destination }), ...(!main && { service }) };
  });
}

function refusePath(path: string, key: string): void {
  if (path.split(/[/\\]/).includes("..")) throw new ConfigError(`${key}: ${shownValue(path)} leads upwards. Write a path without "..".`);
  if (hasControl(path)) throw new ConfigError(control(key, path));
}

const hasControl = (text: string): boolean => /\p{Cc}/u.test(text);

const control = (key: string, text: string): string => `${key}: ${shownValue(text)} has a control character. Remove it.`;
