/** The first half of a patch of git: of its files, or where there is one, of its hunks. Undefined where it cannot be halved. */
export function halfPatch(patch: string): string | undefined {
  const files = patch.split(/^(?=diff --git )/m).filter((part) => part.startsWith("diff --git "));
  if (files.length > 1) return files.slice(0, Math.ceil(files.length / 2)).join("");
  const [file = ""] = files;
  const [head = "", ...hunks] = file.split(/^(?=@@ )/m);
  return hunks.length > 1 ? head + hunks.slice(0, Math.ceil(hunks.length / 2)).join("") : undefined;
}
