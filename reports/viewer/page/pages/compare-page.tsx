import type { JobAnswer } from "../../api.ts";
import { jobAt, jobsAt } from "../addresses.ts";
import { plural } from "../../../text/format.ts";
import { useAsked } from "../ask.ts";
import { useKeys } from "../keys.ts";
import { Sections, VerdictLines } from "../parts/answer.tsx";
import { Crumbs, TopBar, useTitle } from "../parts/frame.tsx";
import { go } from "../route.ts";

const lookAgainMs = 5000;

/** Several jobs held against each other: what `forge compare` says of them, and what it rests on. */
export function ComparePage({ at }: { readonly at: readonly string[] }) {
  useTitle("Jobs compared");
  useKeys([{ keys: ["u"], says: "up to all jobs", act: () => go(jobsAt) }]);
  const verdict = useAsked<JobAnswer>("compare", { at }, lookAgainMs);
  const rest = useAsked<JobAnswer>(verdict.data && verdict.data.sections.length > 0 ? "compare/rest" : undefined, {
    at,
    version: verdict.data?.version,
  });
  return (
    <>
      <TopBar>
        <Crumbs steps={[{ text: "jobs compared" }]} />
      </TopBar>
      <main>
        <h1>
          {plural(at.length, "job")} compared:{" "}
          {at.map((place, i) => (
            <span key={place}>
              {i > 0 && ", "}
              <a href={jobAt(place)}>
                <bdi>{place}</bdi>
              </a>
            </span>
          ))}
        </h1>
        <VerdictLines verdict={verdict} waiting="Reading the results …" warnings={[]} />
        {verdict.data && verdict.data.sections.length > 0 && <Sections verdict={verdict.data} rest={rest} />}
      </main>
    </>
  );
}
