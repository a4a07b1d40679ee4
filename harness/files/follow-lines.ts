import { open } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";

/** Most bytes that are read at once, so that memory stays flat whatever the file's size. */
const pieceBytes = 1024 * 1024;

/** A file of lines that another process goes on writing. */
export interface FollowedLines {
  /** The whole lines that came since the last call; a last line without its end waits for the next. A file that is not there yet has none. */
  read(): Promise<string[]>;
}

export function followLines(path: string): FollowedLines {
  const decoder = new StringDecoder("utf8");
  let at = 0;
  let rest = "";
  return {
    async read() {
      const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return undefined;
        throw error;
      });
      if (!file) return [];
      const lines: string[] = [];
      try {
        const buffer = Buffer.alloc(pieceBytes);
        for (;;) {
          const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
          if (bytesRead === 0) return lines;
          at += bytesRead;
          const pieces = (rest + decoder.write(buffer.subarray(0, bytesRead))).split("\n");
          rest = pieces.pop() ?? "";
          for (const piece of pieces) lines.push(piece);
        }
      } finally {
        await file.close();
      }
    },
  };
}
