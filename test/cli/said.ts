import { vi } from "vitest";

/** Carries out a command; answers its exit code, all it wrote, and the JSON objects among its lines. */
export async function said(act: () => Promise<number>): Promise<{ code: number; out: string; lines: Record<string, unknown>[] }> {
  let out = "";
  const keep = (chunk: string | Uint8Array): boolean => {
    out += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
    return true;
  };
  const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, "write").mockImplementation(keep));
  try {
    const code = await act();
    const lines = out.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Record<string, unknown>] : [])); // objects by their first letter
    return { code, out, lines };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** What was written, with the lines joined that a long temporary folder made longer than a page. */
export const joined = (text: string): string => text.replaceAll(/\n {2,}/g, " ");
