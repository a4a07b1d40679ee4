/** Cells between two columns. */
const between = 2;

/**
 * Which columns of a table stay so that it takes at most so many of a terminal: of one that is wider the dispensable go, the first first.
 * @param widths of the columns, their heads' too
 */
export function keptColumns(
  head: readonly string[],
  widths: readonly number[],
  o: { readonly dispensable: readonly string[]; readonly most: number },
): boolean[] {
  const kept = head.map(() => true);
  const width = (): number => widths.reduce((sum, one, i) => sum + (kept[i] === true ? one + between : 0), -between);
  for (const name of o.dispensable) {
    if (width() <= o.most) break;
    const at = head.indexOf(name);
    if (at >= 0) kept[at] = false;
  }
  return kept;
}
