/** How much is done, in words for those who do not see it. */
export const ProgressBar = ({ done, of, says }: { readonly done: number; readonly of: number; readonly says: string }) => (
  <progress class="progress" max={Math.max(1, of)} value={done} aria-label={says}>
    {says}
  </progress>
);
