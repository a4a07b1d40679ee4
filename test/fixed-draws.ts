import fc from "fast-check";

// A gate must not fail by the luck of a draw on a change that has nothing to do with it: in CI properties draw the same cases each time. Everywhere else
// they draw new ones, and print the seed of what they find.
if (process.env["CI"]) fc.configureGlobal({ seed: 20_261_122 });
