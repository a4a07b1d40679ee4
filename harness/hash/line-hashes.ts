const newline = 10;
const isBlank = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= 13);

/**
 * A number for each line that is not blank, in their order and without the blanks at both ends: the same for the same line, and for two others by chance
 * once in 2^53. None for what is no text, told as git does by a zero among the first 8,000 bytes. FNV-1a, twice.
 */
export function lineHashes(bytes: Uint8Array): Float64Array {
  if (bytes.subarray(0, 8000).includes(0)) return new Float64Array();
  const found: number[] = [];
  for (let start = 0, end: number; start < bytes.length; start = end + 1) {
    end = bytes.indexOf(newline, start);
    if (end === -1) end = bytes.length;
    let first = start;
    let last = end;
    while (first < last && isBlank(bytes[first] ?? 0)) first++;
    while (last > first && isBlank(bytes[last - 1] ?? 0)) last--;
    if (first < last) found.push(hashOf(bytes, first, last));
  }
  return Float64Array.from(found);
}

/** The number of one line. */
export const lineHash = (text: string): number => {
  const bytes = Buffer.from(text.replaceAll(/^[ \t-\r]+|[ \t-\r]+$/g, ""));
  return hashOf(bytes, 0, bytes.length);
};

function hashOf(bytes: Uint8Array, first: number, last: number): number {
  let one = 0x811c9dc5;
  let two = 0x5bd1e995;
  for (let i = first; i < last; i++) {
    const byte = bytes[i] ?? 0;
    one = Math.imul(one ^ byte, 0x01000193);
    two = Math.imul(two ^ byte, 0x85ebca6b);
  }
  // The low bits of the second are the weak ones.
  return (one >>> 0) * 2 ** 21 + (two >>> 11);
}
