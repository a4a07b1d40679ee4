import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** Where a page stands: links up to the list of jobs. */
export function Crumbs({ steps }: { readonly steps: readonly { readonly text: string; readonly href?: string }[] }) {
  return (
    <nav class="crumbs" aria-label="Where this is">
      <a href="/">Forge</a>
      {steps.map(({ text, href }) => (
        <span key={text}>
          {" / "}
          {href === undefined ? (
            <bdi aria-current="page">{text}</bdi>
          ) : (
            <a href={href}>
              <bdi>{text}</bdi>
            </a>
          )}
        </span>
      ))}
    </nav>
  );
}

/** What stays at the top while the page scrolls; rows that are brought into view stand below it. */
export function TopBar({ children }: { readonly children: ComponentChildren }) {
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!bar.current) return;
    const observer = new ResizeObserver(([seen]) => {
      const height = seen?.borderBoxSize[0]?.blockSize ?? 0;
      document.documentElement.style.setProperty("--head", `${Math.ceil(height) + 8}px`);
    });
    observer.observe(bar.current);
    return () => observer.disconnect();
  }, []);
  return (
    <header class="topbar" ref={bar}>
      {children}
    </header>
  );
}

/** Of the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "Forge" : `${title} · Forge`;
  }, [title]);
}

/** What went wrong, or that something is on its way. */
export function Status({ error, waiting }: { readonly error?: string | undefined; readonly waiting?: string | undefined }) {
  return (
    <div role="status" aria-live="polite">
      {error !== undefined && <p class="warn">{error}</p>}
      {error === undefined && waiting !== undefined && <p class="note waiting">{waiting}</p>}
    </div>
  );
}

/** How it came out, as a word and a mark. */
export function Verdict({ passed, children }: { readonly passed: boolean | null; readonly children: ComponentChildren }) {
  const [kind, mark] = passed === null ? ["open", "–"] : passed ? ["good", "●"] : ["bad", "○"];
  return (
    <span class={`outcome ${kind}`}>
      <span aria-hidden="true">{mark}</span> {children}
    </span>
  );
}

/** A time that has passed, in words. */
export function ago(ms: number): string {
  if (ms === 0) return "";
  const seconds = Math.max(0, (Date.now() - ms) / 1000);
  if (seconds < 90) return `${Math.round(seconds)} s ago`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86_400)} d ago`;
}

/** Markup that the server made of the report's parts: every text of others in it was escaped there. */
export const Made = ({ html, as: Tag = "div", ...o }: { readonly html: string; readonly as?: "div" | "span" | "p"; readonly class?: string }) => <Tag class={o.class ?? ""} dangerouslySetInnerHTML={{ __html: html }} />; // prettier-ignore
