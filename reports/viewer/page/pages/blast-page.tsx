import { useEffect, useRef, useState } from "preact/hooks";
import type { BlastAnswer, JobsAnswer } from "../../api.ts";
import { plural } from "../../../text/format.ts";
import { ask, useAsked } from "../ask.ts";
import { useKeys } from "../keys.ts";
import { Crumbs, Status, TopBar, useTitle } from "../parts/frame.tsx";
import { BlastTable } from "../parts/blast-table.tsx";
import { jobAt, jobsAt } from "../addresses.ts";
import { go } from "../route.ts";

/** What another configuration would have done in the recorded runs of a job, without a model. */
export function BlastPage({ at }: { readonly at: string }) {
  const [place, setPlace] = useState(at);
  const [config, setConfig] = useState("");
  const [asked, setAsked] = useState<BlastAnswer>();
  const [error, setError] = useState<string>();
  const jobs = useAsked<JobsAnswer>("jobs", {});
  const known = jobs.data?.jobs ?? [];
  const chosen = place === "" ? (known[0]?.place ?? "") : place;
  const field = useRef<HTMLInputElement>(null);
  const running = asked?.state === "running";
  const answer = useAsked<BlastAnswer>(asked ? "blast" : undefined, { id: asked?.id }, running ? 500 : undefined);
  useEffect(() => {
    if (answer.data) setAsked(answer.data);
  }, [answer.data]);
  useTitle("Blast radius");
  useKeys([
    { keys: ["/"], says: "the configuration's field", act: () => field.current?.focus() },
    { keys: ["u"], says: "up to the job, or all jobs", act: () => go(at === "" ? jobsAt : jobAt(at)) },
  ]);
  const begin = (): void => {
    setError(undefined);
    ask<BlastAnswer>("blast", {}, { method: "POST", body: JSON.stringify({ config, at: [chosen] }) }).then(setAsked, (why: unknown) =>
      setError(why instanceof Error ? why.message : String(why)),
    );
  };
  return (
    <>
      <TopBar>
        <Crumbs steps={[...(at === "" ? [] : [{ text: at.split("/").at(-1) ?? at, href: jobAt(at) }]), { text: "blast radius" }]} />
      </TopBar>
      <main>
        <h1 class="big">Blast radius</h1>
        <p class="note">
          What another configuration would have done in every recorded run: no model, no network, no container is asked, and nothing is
          changed. As forge replay dry.
        </p>
        <form
          class="ask"
          onSubmit={(event) => {
            event.preventDefault();
            begin();
          }}
        >
          <label>
            Configuration: a file, or a preset
            <input
              ref={field}
              required
              placeholder="mine.yaml"
              spellcheck={false}
              value={config}
              onInput={(event) => setConfig(event.currentTarget.value)}
            />
          </label>
          <label>
            Job
            <select value={chosen} onChange={(event) => setPlace(event.currentTarget.value)}>
              {at !== "" && !known.some((job) => job.place === at) && <option value={at}>{at}</option>}
              {known.map((job) => (
                <option key={job.place} value={job.place}>
                  {job.name} ({job.suite}, {plural(job.recorded, "trial")})
                </option>
              ))}
            </select>
          </label>
          <button type="submit" disabled={config.trim() === "" || chosen === ""}>
            {running ? "Use this instead" : "Ask"}
          </button>
          {running && (
            <button type="button" onClick={() => void ask("blast", {}, { method: "DELETE" }).catch(() => undefined)}>
              Stop
            </button>
          )}
        </form>
        <Status
          error={error ?? (asked?.state === "failed" ? asked.says : answer.error)}
          waiting={running ? `${plural(asked.asked, "run")} asked …` : undefined}
        />
        {asked?.state === "stopped" && <p class="note">Stopped.</p>}
        {asked?.result && <BlastTable config={asked.config} rows={asked.result} />}
      </main>
    </>
  );
}
