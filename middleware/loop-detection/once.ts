/**
 * Remembers the answer for each object. Calls, replies and records are frozen or never changed, so it stays true, and a step late in a run
 * costs what an early one did.
 */
export function once<In extends object, Out>(work: (given: In) => Out): (given: In) => Out {
  const known = new WeakMap<In, { readonly answer: Out }>();
  return (given) => {
    const found = known.get(given) ?? { answer: work(given) };
    known.set(given, found);
    return found.answer;
  };
}
