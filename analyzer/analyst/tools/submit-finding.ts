import type { Tool } from "../../../harness/tools/tool.ts";
import { checkClaims, claimSchema, type Claim } from "../claims.ts";
import { cannot, type Subject } from "./subject.ts";

export const submitName = "submit_finding";

/** Hands in a finding: its citation is checked at once, and again when the conversation is read. Nothing is kept here: what counts is the recorded call. */
export const submitFinding = ({ run }: Subject): Tool<Claim> => ({
  name: submitName,
  description: "Hand in one finding. The quote must be in the event, exactly; if it is not, read the event and copy again.",
  parameters: claimSchema,
  readOnly: true,
  async run(claim) {
    const [reason] = checkClaims(run, [claim]).dropped;
    return reason === undefined
      ? { status: "ok", content: [], note: "Taken." }
      : cannot("not_cited", `Dropped: ${reason}. Read the event with run_read and copy at least 20 characters from it.`);
  },
});
