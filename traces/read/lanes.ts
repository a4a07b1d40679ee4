/** Whether `lane` is `outer` or lies in it. */
export const within = (lane: string, outer: string): boolean => lane === outer || lane.startsWith(`${outer}/`);

/** The lanes that `lane` lies in, innermost last, itself left out: `main`, `main/12.1` of `main/12.1/sub0`. */
export function outerLanes(lane: string): string[] {
  const parts = lane.split("/");
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"));
}

/** The lane of the agent's run that a tool call's or a middleware's lane belongs to: `main`, or the innermost subagent's. */
export function ownerOf(lane: string): string {
  const parts = lane.split("/");
  const last = parts.findLastIndex((part, i) => i === 0 || /^sub\d+$/.test(part));
  return parts.slice(0, last + 1).join("/");
}

/** The middleware whose lane this is, or lies in. */
export function middlewareOf(lane: string): string | undefined {
  return lane
    .split("/")
    .findLast((part) => part.startsWith("mw:"))
    ?.slice(3);
}
