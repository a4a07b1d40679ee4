/** The program with one piece replaced, for mistakes made on purpose. Throws when the piece does not stand in it exactly once. */
export function swap(program: string, right: string, wrong: string): string {
  const [before, after, ...more] = program.split(right);
  if (before === undefined || after === undefined || more.length > 0) throw new Error(`"${right}" does not stand once in the program.`);
  return before + wrong + after;
}
