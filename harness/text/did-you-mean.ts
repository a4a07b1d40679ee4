/** The candidate nearest to what was written, when it is near enough to be a slip: at most a third of the letters differ. */
export function nearest(written: string, candidates: Iterable<string>): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const name of candidates) {
    const distance = editDistance(written.toLowerCase(), name.toLowerCase());
    if (distance <= Math.max(1, Math.floor(Math.max(name.length, written.length) / 3)) && distance < (best?.distance ?? Infinity))
      best = { name, distance };
  }
  return best?.name;
}

/** `, did you mean "x"?`, or the list of what there is. To be put after a finished clause. */
export function didYouMean(written: string, candidates: readonly string[], listed: string): string {
  const near = nearest(written, candidates);
  if (near !== undefined) return `did you mean "${near}"?`;
  return candidates.length > 0 ? `${listed}: ${candidates.join(", ")}` : `${listed}: none`;
}

/** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours count one each. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = Array.from({ length: a.length + 1 }, (_, i) => [i]);
  const cell = (i: number, j: number): number => rows[i]?.[j] ?? i + j;
  for (let i = 0; i <= a.length; i++)
    for (let j = i === 0 ? 0 : 1; j <= b.length; j++) {
      if (i === 0) {
        rows[0]?.splice(j, 1, j);
        continue;
      }
      let cost = Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, cell(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, cell(i - 2, j - 2) + 1);
      rows[i]?.splice(j, 1, cost);
    }
  return cell(a.length, b.length);
}
