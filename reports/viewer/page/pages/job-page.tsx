import { useState } from "preact/hooks";
import type { JobAnswer, JobHead } from "../../api.ts";
import { plural } from "../../../text/format.ts";
import { useAsked } from "../ask.ts";
import { useKeys } from "../keys.ts";
import { Sections, VerdictLines } from "../parts/answer.tsx";
import { Crumbs, Status, TopBar, useTitle } from "../parts/frame.tsx";
import { HeatRowsList } from "../parts/heat-rows-list.tsx";
import { Live } from "../parts/live.tsx";
import { TrialsList } from "../parts/trials-list.tsx";
import { blastAt, jobsAt } from "../addresses.ts";
import { go } from "../route.ts";

type View = "tasks" | "trials" | "answer";

/** A job: the verdict first, then its tasks, its trials, or all that the verdict rests on. */
export function JobPage({ at }: { readonly at: string }) {
  const [view, setView] = useState<View>(() => viewNamed(sessionStorage.getItem(`view ${at}`)));
  const [running, setRunning] = useState(true);
  const head = useAsked<JobHead>("job", { at }, running ? 1000 : 5000);
  const { data } = head;
  const whole = data !== undefined && data.read >= data.there;
  if (data && running !== (data.line.running || !whole)) setRunning(data.line.running || !whole);
  const verdict = useAsked<JobAnswer>(whole ? "job/verdict" : undefined, { at, version: data?.line.running ? 0 : data?.version });
  useTitle(data?.line.name ?? "");
  const show = (next: View): void => {
    sessionStorage.setItem(`view ${at}`, next);
    setView(next);
  };
  useKeys([
    { keys: ["1"], says: "tasks", act: () => show("tasks") },
    { keys: ["2"], says: "trials", act: () => show("trials") },
    { keys: ["3"], says: "the evidence", act: () => show("answer") },
    { keys: ["b"], says: "blast radius", act: () => go(blastAt(at)) },
    { keys: ["u"], says: "up to all jobs", act: () => go(jobsAt) },
  ]);
  return (
    <>
      <TopBar>
        <Crumbs steps={[{ text: data?.line.name ?? at }]} />
        <a class="button" href={blastAt(at)}>
          Blast radius
        </a>
      </TopBar>
      <main>
        <Status error={head.error} waiting={data ? undefined : "Reading the job …"} />
        {data && (
          <>
            <h1>
              <bdi>{data.line.suite}</bdi> · {data.line.status}
            </h1>
            <VerdictLines
              verdict={verdict}
              waiting={whole ? "…" : `${data.read} of ${plural(data.there, "trial")} read …`}
              warnings={data.damaged}
            />
            <p class="setting">
              {data.about}.{" "}
              {whole
                ? `${data.line.recorded} of ${plural(data.line.trials, "trial")} have a result.`
                : `How many of its ${plural(data.line.trials, "trial")} have a result is being read; ${data.line.recorded} so far.`}
            </p>
            {data.live && <Live live={data.live} />}
          </>
        )}
        <div class="tabs" role="tablist" aria-label="What is shown">
          {(["tasks", "trials", "answer"] as const).map((one) => (
            <button type="button" role="tab" key={one} aria-selected={view === one} onClick={() => show(one)}>
              {titles[one]}
            </button>
          ))}
        </div>
        {view === "tasks" && <HeatRowsList at={at} version={data?.version ?? 0} ready={whole} running={data?.line.running === true} />}
        {view === "trials" && <TrialsList at={at} version={data?.version ?? 0} />}
        {view === "answer" && <Answer at={at} version={data?.version} verdict={verdict.data} running={data?.line.running === true} />}
      </main>
    </>
  );
}

const titles: Readonly<Record<View, string>> = { tasks: "Tasks", trials: "Trials", answer: "Evidence" };
const viewNamed = (name: string | null): View => (name === "trials" || name === "answer" ? name : "tasks");

function Answer(o: {
  readonly at: string;
  readonly version: number | undefined;
  readonly verdict: JobAnswer | undefined;
  readonly running: boolean;
}) {
  const rest = useAsked<JobAnswer>(o.version === undefined || o.running ? undefined : "job/rest", { at: o.at, version: o.version });
  if (o.running) return <p class="note">This part is made when the job has ended.</p>;
  return <Sections verdict={o.verdict} rest={rest} />;
}
