/** Heights of many rows in pixels, most of them guessed until they are seen. Every question takes a logarithm of their number. */
export interface Heights {
  count(): number;
  /** Where row `index` begins. */
  offset(index: number): number;
  /** The row at a distance from the top. */
  at(y: number): number;
  /** False where it was that already. */
  set(index: number, height: number): boolean;
  /** More rows at the end, or fewer. */
  resize(count: number): void;
}

/** A Fenwick tree over what each row differs from the guess. */
export function createHeights(guess: number): Heights {
  let known: number[] = [];
  let tree: number[] = [];
  const add = (index: number, more: number): void => {
    for (let i = index + 1; i <= known.length; i += i & -i) tree[i] = (tree[i] ?? 0) + more;
  };
  const heights: Heights = {
    count: () => known.length,
    offset(index) {
      let sum = index * guess;
      for (let i = index; i > 0; i -= i & -i) sum += tree[i] ?? 0;
      return sum;
    },
    at(y) {
      let [low, high] = [0, known.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (heights.offset(middle + 1) <= y) low = middle + 1;
        else high = middle;
      }
      return Math.min(low, Math.max(0, known.length - 1));
    },
    set(index, height) {
      const before = known[index];
      if (before === undefined || before === height) return false;
      known[index] = height;
      add(index, height - before);
      return true;
    },
    resize(count) {
      if (count === known.length) return;
      const kept = known.slice(0, count);
      known = Array.from({ length: count }, (_, i) => kept[i] ?? guess);
      tree = [];
      for (const [i, height] of kept.entries()) if (height !== guess) add(i, height - guess);
    },
  };
  return heights;
}
