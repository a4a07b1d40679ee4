const signatures: readonly (readonly [mediaType: string, offset: number, bytes: string])[] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 8, "WEBP"],
];

/** Media type of an image that models can see, by its first bytes. */
export function imageType(content: Uint8Array): string | undefined {
  const head = Buffer.from(content.subarray(0, 16)).toString("latin1");
  return signatures.find(([, offset, bytes]) => head.startsWith(bytes, offset))?.[0];
}
