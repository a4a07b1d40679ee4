import type { RunAnswer } from "../../../api.ts";

/** What the run was, how it ended, and what it was told. */
export function RunHead({ run }: { readonly run: RunAnswer }) {
  return (
    <>
      <h1>
        <bdi>{run.title}</bdi>
      </h1>
      <p class={`verdict ${run.passed === null ? "open" : run.passed ? "good" : "bad"}`}>{run.verdict}</p>
      {run.damaged !== null && <p class="warn">{run.damaged}</p>}
      <dl class="facts">
        {run.facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <details>
        <summary>Task</summary>
        <pre dir="auto">{run.task}</pre>
      </details>
      {run.system !== "" && (
        <details>
          <summary>System prompt</summary>
          <pre dir="auto">{run.system}</pre>
        </details>
      )}
    </>
  );
}
