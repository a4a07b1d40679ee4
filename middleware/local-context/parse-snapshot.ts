/** What the script found out. Every list is as long as it came; a run cut short has less. */
export interface Snapshot {
  readonly cwd: string | undefined;
  readonly present: readonly string[];
  readonly absent: readonly string[];
  readonly managers: readonly string[];
  readonly tests: readonly string[];
  /** Branch; `no` for a folder outside a repository, `none-installed` without git. */
  readonly git: string | undefined;
  readonly dirty: string | undefined;
  readonly commits: readonly string[];
  /** `extension count`, most frequent first. */
  readonly extensions: readonly { readonly name: string; readonly files: number }[];
  /** Shallow ones first; folders end in a slash. */
  readonly files: readonly string[];
  readonly complete: boolean;
}

const lineChars = 160;

/** Reads the script's output; undefined when it said nothing. Names are data of the sandbox: control characters go, long lines are cut. */
export function parseSnapshot(stdout: string): Snapshot | undefined {
  const found = new Map<string, string[]>();
  for (const line of stdout.split("\n")) {
    const match = /^@([a-z]+) ?(.*)$/s.exec(line);
    const key = match?.[1];
    if (key === undefined) continue;
    const value = clean(match?.[2] ?? "");
    found.set(key, [...(found.get(key) ?? []), value]);
  }
  if (found.size === 0) return undefined;
  const all = (key: string): string[] => found.get(key) ?? [];
  return {
    cwd: all("cwd")[0],
    present: all("present"),
    absent: all("absent"),
    managers: all("manager"),
    tests: all("test"),
    git: all("git")[0],
    dirty: all("dirty")[0],
    commits: all("commit"),
    extensions: all("ext").map((value) => ({ name: value.split(" ")[0] ?? "", files: Number(value.split(" ")[1]) || 0 })),
    files: all("file"),
    complete: found.has("end"),
  };
}

function clean(value: string): string {
  // oxlint-disable-next-line no-control-regex -- file names may hold them, and the message to the model may not
  const plain = value.replace(/[\u0000-\u001f\u007f]/g, "?").trimEnd();
  return plain.length > lineChars ? `${plain.slice(0, lineChars - 1)}…` : plain;
}
