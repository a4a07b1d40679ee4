import type { Part } from "../../../harness/contract/messages.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import type { AtifContent } from "./trajectory.ts";

/** Gives images of messages a file of their own: the format only names where one lies. */
export interface Images {
  /** Plain text where there is no image. */
  content(parts: readonly Part[]): AtifContent;
  /** By their paths, relative to the trajectory. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

const endings = { "image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp" } as const;
type MediaType = keyof typeof endings;
const isKnown = (mediaType: string): mediaType is MediaType => Object.hasOwn(endings, mediaType);

export function createImages(): Images {
  const files = new Map<string, Uint8Array>();
  const put = (part: Part & { type: "image" }, mediaType: MediaType): string => {
    const bytes = Buffer.from(part.data, "base64");
    const path = `images/${sha256(bytes).slice(0, 32)}.${endings[mediaType]}`;
    files.set(path, bytes);
    return path;
  };
  return {
    files,
    content(parts) {
      const pieces = parts.map((part) => {
        if (part.type !== "image") return { type: "text" as const, text: part.type === "text" ? part.text : JSON.stringify(part) };
        const { mediaType } = part;
        if (!isKnown(mediaType)) return { type: "text" as const, text: `(an image, ${mediaType})` };
        return { type: "image" as const, source: { media_type: mediaType, path: put(part, mediaType) } };
      });
      return pieces.some(({ type }) => type === "image")
        ? pieces
        : pieces.map((piece) => (piece.type === "text" ? piece.text : "")).join("\n");
    },
  };
}
