/** An instruction without the marker lines at its head that keep benchmarks out of training data: comments with the word "canary". */
export function stripCanary(text: string): string {
  const lines = text.split("\n");
  let first = 0;
  while (/^(<!--.*canary.*-->|#.*canary.*)$/i.test(lines[first]?.trim() ?? "")) first += 1;
  while (first < lines.length && lines[first]?.trim() === "") first += 1;
  return lines.slice(first).join("\n");
}
