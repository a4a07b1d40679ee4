import { plural } from "./format.ts";

/** `512 bytes`, `12.3 kB`, `1.20 MB`, `4.00 GB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return plural(bytes, "byte");
  if (bytes < 1e6) return `${(bytes / 1000).toFixed(1)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(2)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}
