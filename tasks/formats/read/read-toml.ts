import { parse, TomlError } from "smol-toml";
import { ConfigError } from "../../../harness/errors.ts";
import type { PlacedData } from "./check-data.ts";
import { lineOfKey } from "./line-of-key.ts";

/** Parses TOML text. Throws `ConfigError` with line and column for what is not TOML (a key set twice is not). */
export function readToml(text: string, file: string): PlacedData {
  try {
    return { file, data: parse(text), lineOf: (path) => lineOfKey(text, path) };
  } catch (error) {
    if (error instanceof TomlError) {
      const reason = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "") ?? "not TOML";
      throw new ConfigError(
        `${file}:${error.line}: this is not valid TOML (${reason}). Correct line ${error.line}, column ${error.column}.`,
      );
    }
    if (error instanceof RangeError) throw new ConfigError(`${file}: the values are nested too deeply to be read. Write them flatter.`);
    throw error;
  }
}
