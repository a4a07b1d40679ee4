/** Escape sequences of terminals: CSI, OSC and other strings (ended by BEL or ST), and the two-character ones. Each alternative is linear. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const escapes = /\x1b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)|\x9b[0-?]*[ -/]*[@-~]?/g;
/** What a reader cannot see but a model can: other control characters, direction overrides, and Unicode tag characters. */
// oxlint-disable-next-line no-control-regex -- as above
const invisible = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\udb40[\udc00-\udc7f]/g;

/**
 * Terminal output as a reader would see it: escape sequences and control characters gone (tab and newline stay), CRLF as newline, and of a
 * line that was drawn over with carriage returns (a progress bar) only what was drawn last.
 */
export function cleanText(text: string): string {
  const plain = text.replace(escapes, "").replace(/\r+\n/g, "\n").replace(invisible, "").toWellFormed();
  return plain.includes("\r") ? plain.split("\n").map(lastDrawn).join("\n") : plain;
}

function lastDrawn(line: string): string {
  const drawn = line.split("\r").filter((part) => part !== "");
  return drawn.at(-1) ?? "";
}
