import { z } from "zod";
import { statusOf, unknownShell } from "./background-shell.ts";
import { quote } from "../sandbox/shell/quote.ts";
import type { Tool } from "./tool.ts";

/** Bytes read from the log in one call. */
const pieceBytes = 262_144;

const parameters = z.strictObject({ id: z.string().min(1).describe("What bash with background returned.") });

/** What a background shell has printed since it was last asked. */
export const bashOutput = (): Tool<z.infer<typeof parameters>> => ({
  name: "bash_output",
  description: "Read what a background command has printed since the last call, and whether it still runs.",
  parameters,
  // It moves the place up to which output was read, so two calls must not overlap.
  readOnly: false,
  async run({ id }, context) {
    const shell = context.memory.shells.get(id);
    if (!shell) return unknownShell(id, context);
    const ended = shell.ended; // asked before reading: what is printed after the question belongs to the next call
    const piece = await context.sandbox.exec(`tail -c +${shell.offset + 1} ${quote(shell.log)} 2>/dev/null | head -c ${pieceBytes}`, {
      timeoutMs: 30_000,
      signal: context.signal,
    });
    const all = ended && piece.stdout.length < pieceBytes;
    const waited = shell.held > 0 && piece.stdout.length === shell.held;
    const bytes = all ? piece.stdout : waited ? wholeCharacters(piece.stdout) : wholeWords(piece.stdout);
    shell.offset += bytes.length;
    shell.held = piece.stdout.length - bytes.length;
    const text = new TextDecoder().decode(bytes);
    const more = piece.stdout.length === pieceBytes ? " There is more: call again." : "";
    const last = ended !== undefined && more === "" && !shell.told;
    if (last) shell.told = true;
    return {
      status: "ok",
      content: text === "" ? [] : [{ type: "text", text }],
      note: `${text === "" ? "Nothing new. " : ""}${shell.id}: ${ended ? statusOf(shell) : "still running"}.${more}`,
      ...(last && { hint: { command: shell.command, exitCode: ended.exitCode } }),
    };
  },
});

/** No word that is looked for as a whole is longer. */
const longestWord = 4096;

/**
 * Without a word that is cut off at the end: a key that is printed in two goes would be recognised in neither. It comes with what follows, or at the
 * next call where nothing does.
 */
function wholeWords(bytes: Uint8Array): Uint8Array {
  for (let end = bytes.length; end > 0 && bytes.length - end < longestWord; end--)
    if ((bytes[end - 1] ?? 0) <= 0x20) return bytes.subarray(0, end);
  return bytes.length < longestWord ? bytes.subarray(0, 0) : wholeCharacters(bytes);
}

/** Without a UTF-8 character that is cut off at the end; it comes with the next piece. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
    }
  }
  return bytes;
}
