import { z } from "zod";
import { statusOf, unknownShell } from "./background-shell.ts";
import { quote } from "../../sandbox/shell/quote.ts";
import type { Tool } from "../tool.ts";

/** Bytes read from the log in one call. */
const pieceBytes = 262_144;
/** Bytes before them that are looked at again: twice the longest private key that is looked for. */
const beforeBytes = 65_536;

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
    const from = Math.max(0, shell.offset - beforeBytes);
    const read = await context.sandbox.exec(
      `tail -c +${from + 1} ${quote(shell.log)} 2>/dev/null | head -c ${shell.offset - from + pieceBytes}`,
      { timeoutMs: 30_000, signal: context.signal },
    );
    const [before, piece] = [read.stdout.subarray(0, shell.offset - from), read.stdout.subarray(shell.offset - from)];
    const bytes = ended && piece.length < pieceBytes ? piece : wholeWords(piece);
    shell.offset += bytes.length;
    const held = piece.length - bytes.length;
    const decoder = new TextDecoder();
    const text = decoder.decode(bytes);
    const more = piece.length === pieceBytes ? " There is more: call again." : "";
    const rest = held > 0 && more === "" ? " The word at the end of its output is not finished; it comes when it is." : "";
    const last = ended !== undefined && more === "" && !shell.told;
    if (last) shell.told = true;
    return {
      status: "ok",
      content: text === "" ? [] : [{ type: "text", text }],
      before: decoder.decode(before),
      note: `${text === "" ? "Nothing new. " : ""}${shell.id}: ${ended ? statusOf(shell) : "still running"}.${more}${rest}`,
      ...(last && { hint: { command: shell.command, exitCode: ended.exitCode } }),
    };
  },
});

/** No word that is looked for as a whole is longer. */
const longestWord = 4096;

/**
 * Without a word that is cut off at the end, as long as the shell runs: a key that is printed in two goes would be recognised in neither, and what was
 * shown of it cannot be taken back.
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
