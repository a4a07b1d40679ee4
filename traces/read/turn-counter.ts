import type { RunEvent } from "../../harness/events/schema.ts";

/** Follows a run's events and says in which turn of the main lane it stands: 0 before the first. What a middleware does ahead of a request counts to its turn. */
export function createTurnCounter(): { see(event: Pick<RunEvent, "t" | "lane" | "d">): void; turn(): number } {
  let turn = 0;
  /** The turn's calls, or its end, have been dealt with. */
  let over = true;
  /** The next turn has started before its request. */
  let ahead = false;
  return {
    turn: () => turn,
    see({ t, lane, d }) {
      if (t === "model.request" && lane === "main") {
        if (!ahead) turn++;
        ahead = false;
        over = false;
      } else if (lane.startsWith(`main/${turn}.`) || (t === "middleware" && d["change"] === "resume" && /^main\/mw:[^/]+$/.test(lane))) {
        over = true;
      } else if (t === "middleware" && d["phase"] === "model" && over && !ahead && /^main\/mw:[^/]+$/.test(lane)) {
        turn++;
        ahead = true;
      }
    },
  };
}
