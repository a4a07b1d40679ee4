/** What a server of simulated models signs its replies with: a result that rests on such a reply says nothing of real models. */
export const simulatedFingerprint = "forge-sim";
