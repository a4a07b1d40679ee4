import { ConfigError } from "../../../harness/errors.ts";
import { shownValue } from "../read/shown-value.ts";

/** A folder of a git repository at one commit. */
export interface GitSource {
  readonly url: string;
  /** The whole hash, lower case. */
  readonly commit: string;
  /** Below the repository's root, without `..`; absent: the root. */
  readonly path?: string;
}

/**
 * Reads `git+<url>@<commit>#<path>`; `git+` and the path may be left out. Undefined for what is no address of a repository. Throws `ConfigError` for
 * a branch, a tag or a shortened hash (their tasks change while results keep their name), and for a path out of the repository.
 */
export function gitSource(reference: string): GitSource | undefined {
  const text = reference.replace(/^git\+/, "");
  if (!reference.startsWith("git+") && !/^[a-z][a-z+]*:\/\//i.test(text) && !/^[\w.-]+@[\w.-]+:/.test(text)) return undefined;
  const hash = text.indexOf("#");
  const address = hash < 0 ? text : text.slice(0, hash);
  const path = hash < 0 ? undefined : text.slice(hash + 1);
  const at = address.lastIndexOf("@");
  const revision = at > address.lastIndexOf("/") ? address.slice(at + 1) : "";
  const url = revision === "" ? address : address.slice(0, at);
  return checkedSource({ url, commit: revision, ...(path && { path }) }, `dataset ${shownValue(withoutSecret(reference))}`);
}

/** As `gitSource`, for parts that stand in a manifest; `place` is where, for the message. */
export function checkedSource({ url, commit, path }: GitSource, place: string): GitSource {
  // Other transports of git (ext::, fd::) start programs, and what begins with a hyphen is an option.
  if (!/^(https?|ssh|git|file):\/\/[^-]/i.test(url) && !/^[\w.]+[\w.-]*@[\w.]+[\w.-]*:(?!-)/.test(url))
    throw new ConfigError(
      `${place}: ${shownValue(withoutSecret(url))} is no address of a repository. Give one with https, ssh, git or file.`,
    );
  if (/\p{Cc}/u.test(url)) throw new ConfigError(`${place}: the address has a control character. Remove it.`);
  if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/i.test(commit))
    throw new ConfigError(
      `${place}: ${commit === "" ? "no commit is named" : `${shownValue(commit)} is not a whole commit hash`}. Give the 40 digits that git rev-parse prints, so that the tasks stay the same.`,
    );
  const clean = path?.replace(/^\.?\/+|\/+$/g, "");
  if (clean !== undefined && (clean.split(/[/\\]/).includes("..") || /\p{Cc}/u.test(clean)))
    throw new ConfigError(`${place}: ${shownValue(path)} leads out of the repository. Give a folder in it.`);
  return { url, commit: commit.toLowerCase(), ...(clean !== undefined && clean !== "" && clean !== "." && { path: clean }) };
}

/** An address without the user and password it may hold. */
export const withoutSecret = (text: string): string => text.replace(/(:\/\/)[^/@\s]*@/, "$1");
