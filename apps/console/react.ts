/**
 * React as the build has it (docs/adr/0041): Preact, with what Mantine asks of React beside it. The sources import `react`
 * and are checked against its types.
 */
import { lazy as lazyOnce } from 'preact/compat';
import type { ReactNode } from 'react';

export * from 'preact/compat';
export { default } from 'preact/compat';

interface ActivityProps {
  readonly mode?: 'visible' | 'hidden';
  readonly children?: ReactNode;
}

/** What is hidden is not there: nothing of ours keeps state in a part that is closed. */
export const Activity = ({ mode = 'visible', children }: ActivityProps): ReactNode =>
  mode === 'hidden' ? null : children;

const TRY_AGAIN_MS = 1_000;

/** A part that did not come is asked for once more, before the page is loaded again and what was typed into it is lost. */
export const lazy: typeof lazyOnce = (load) =>
  lazyOnce(() =>
    load().catch(async () => {
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
      return load();
    }),
  );
