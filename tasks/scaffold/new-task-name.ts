import { basename } from "node:path";
import { ConfigError } from "../../harness/errors.ts";
import { pathOfNewFolder } from "../../harness/files/write-new-folder.ts";

/** The name of a task that is to lie in this folder. @throws ConfigError for one that would not do as a name everywhere. */
export function nameOfNewTask(folder: string): string {
  const name = basename(pathOfNewFolder(folder));
  if (/^[a-z0-9][a-z0-9._-]{0,99}$/.test(name)) return name;
  throw new ConfigError(
    `"${name}" cannot be a task's name: use small letters, digits, dots and dashes, at most 100, with a letter or digit first.`,
  );
}
