import type { Family } from "../family.ts";
import { drawFlawedProgram } from "../flawed-program.ts";
import { counter } from "../live-service/counter.ts";

/** A service with its start and stop scripts; the verifier starts it, asks it, kills it and starts it again. */
export const liveService: Family = {
  name: "live-service",
  summary: "mend an HTTP service and the scripts that start and stop it: ports, wrong requests, slow clients, crashes, stale pid files",
  split: "train",
  tags: ["service", "python", "shell"],
  draw: drawFlawedProgram([counter], {
    plain: "On a good day it works.",
    hidden: "On others it does not, and nobody has written down why.",
    promised: "On every day, this must hold too:",
  }),
};
