/**
 * Errors that end a command. Each message is a finished sentence: what happened, with the value, and what to do next.
 * `exitCode` is the process exit code.
 */
export class ForgeError extends Error {
  override readonly name: string = "ForgeError";
  readonly exitCode: number = 1;
}

/** Usage or configuration is wrong: file, key, value and cure are in the message. */
export class ConfigError extends ForgeError {
  override readonly name = "ConfigError";
  override readonly exitCode = 2;
}

/** It cannot be done here: missing daemon, model, image, blob, disk, version. */
export class CannotError extends ForgeError {
  override readonly name = "CannotError";
  override readonly exitCode = 3;
}

/** A trace or a job fails its own hashes. */
export class DamagedError extends ForgeError {
  override readonly name = "DamagedError";
  override readonly exitCode = 4;
}

/** The machinery around the agent failed (daemon, build, disk, provider quota): never the agent's fault, never scored. */
export class InfraError extends ForgeError {
  override readonly name = "InfraError";
  override readonly exitCode = 3;
  /** The same again would fail the same: an image whose build fails at a step of its own, a task whose files are broken. */
  readonly lasting: boolean;
  constructor(message: string, o: { readonly lasting?: boolean } = {}) {
    super(message);
    this.lasting = o.lasting ?? false;
  }
}

/** The code of an error of Node or of a server's response, such as `ENOENT`; undefined where it has none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** One line for a person from anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
