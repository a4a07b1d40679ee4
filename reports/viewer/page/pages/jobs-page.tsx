import { useState } from "preact/hooks";
import type { JobLine, JobsAnswer, RunLine } from "../../api.ts";
import { plural } from "../../../text/format.ts";
import { useAsked } from "../ask.ts";
import { useKeys } from "../keys.ts";
import { ago, Crumbs, Status, TopBar, useTitle, Verdict } from "../parts/frame.tsx";
import { ProgressBar } from "../parts/progress-bar.tsx";
import { useListKeys } from "../parts/lists/use-list-keys.ts";
import { usePages } from "../parts/lists/use-pages.ts";
import { WindowedList } from "../parts/lists/windowed-list.tsx";
import { compareAt, jobAt, runAt } from "../addresses.ts";
import { go } from "../route.ts";

/** Every job that is shown, the newest first, and then the runs that belong to none. */
export function JobsPage() {
  useTitle("");
  const { data, error } = useAsked<JobsAnswer>("jobs", {}, 2000);
  const jobs = data?.jobs ?? [];
  const runs = usePages<RunLine>("runs", {}, data?.runs);
  const count = jobs.length + (data?.runs ?? 0);
  const addressOf = (index: number): string | undefined => {
    const job = jobs[index];
    const run = runs.get(index - jobs.length);
    return job ? jobAt(job.place) : run ? runAt(run.place) : undefined;
  };
  const keys = useListKeys(count, {
    open: {
      says: "open it",
      act: (index) => {
        const address = addressOf(index);
        if (address !== undefined) go(address);
      },
    },
  });
  const [ticked, setTicked] = useState<readonly string[]>([]);
  const toggle = ({ place }: JobLine): void =>
    setTicked((before) => (before.includes(place) ? before.filter((one) => one !== place) : [...before, place]));
  useKeys([
    {
      keys: ["x"],
      says: "tick a job",
      act: () => {
        const job = jobs[keys.current];
        if (job) toggle(job);
      },
    },
    { keys: ["c"], says: "compare those that are ticked", act: () => ticked.length > 1 && go(compareAt(ticked)) },
  ]);
  const row = (index: number) => {
    const job = jobs[index];
    if (job) return <JobRow job={job} ticked={ticked.includes(job.place)} onTick={jobs.length > 1 ? () => toggle(job) : undefined} />;
    const run = runs.get(index - jobs.length);
    return (
      <>
        {index === jobs.length && <h2>Other runs</h2>}
        {run ? <RunRow run={run} /> : <p class="note waiting">…</p>}
      </>
    );
  };
  return (
    <>
      <TopBar>
        <Crumbs steps={[]} />
        {ticked.length > 1 ? (
          <a class="button" href={compareAt(ticked)}>
            Compare {plural(ticked.length, "job")}
          </a>
        ) : (
          ticked.length === 1 && <span class="note">Tick another one to compare them.</span>
        )}
      </TopBar>
      <main>
        <h1 class="big">Jobs</h1>
        <Status error={error ?? runs.error} waiting={data ? undefined : "Reading the jobs …"} />
        {data?.damaged.map((why) => (
          <p class="warn" key={why}>
            {why}
          </p>
        ))}
        {data && count === 0 && data.damaged.length === 0 && (
          <p>
            There is no job yet. <code>forge bench</code> makes one; this page shows it as it runs.
          </p>
        )}
        <WindowedList
          count={count}
          guess={74}
          label="Jobs and runs"
          of={(index) => [jobs[index], index < jobs.length ? ticked.includes(jobs[index]?.place ?? "") : runs.get(index - jobs.length)]}
          row={row}
          current={keys.current}
          onCurrent={keys.setCurrent}
          handle={keys.handle}
          onRange={(from, to) => to > jobs.length && runs.need(Math.max(0, from - jobs.length), to - jobs.length)}
        />
      </main>
    </>
  );
}

function JobRow({ job, ticked, onTick }: { readonly job: JobLine; readonly ticked: boolean; readonly onTick: (() => void) | undefined }) {
  return (
    <article class="line job">
      <h3>
        {onTick && <input type="checkbox" aria-label={`compare ${job.name}`} checked={ticked} onChange={onTick} />}
        <a href={jobAt(job.place)}>
          <bdi>{job.name}</bdi>
        </a>
        <small>
          <bdi>{job.suite}</bdi> · {job.tasks} × {job.configurations.length} × {job.repeats}
        </small>
      </h3>
      <p class="facts">
        <span class={job.running ? "tag good" : job.status === "finished" || job.status === "decided" ? "tag open" : "tag bad"}>
          {job.status}
        </span>
        <span>
          {job.recorded}/{plural(job.trials, "trial")}
        </span>
        {job.passed.slice(0, 4).map(({ configuration, passed, scored }) => (
          <span key={configuration}>
            <bdi>{configuration}</bdi>{" "}
            <b>
              {passed}/{scored}
            </b>
          </span>
        ))}
        {job.passed.length > 4 && <span>… {job.passed.length - 4} more</span>}
        {job.cost !== "" && <span>{job.cost}</span>}
        <span class="soft">{ago(job.touchedAt)}</span>
      </p>
      {job.running && <ProgressBar done={job.recorded} of={job.trials} says={`${job.recorded} of ${plural(job.trials, "trial")}`} />}
    </article>
  );
}

function RunRow({ run }: { readonly run: RunLine }) {
  return (
    <article class="line run">
      <h3>
        <a href={runAt(run.place)}>
          <bdi>{run.task === "" ? run.place : run.task}</bdi>
        </a>
      </h3>
      <p class="facts">
        <Verdict passed={run.passed}>{run.result}</Verdict>
        <span>
          <bdi>{run.configuration}</bdi>
        </span>
        <span>
          <bdi>{run.model}</bdi>
        </span>
        <span>{run.spent}</span>
        <span class="soft">{run.begun}</span>
      </p>
    </article>
  );
}
