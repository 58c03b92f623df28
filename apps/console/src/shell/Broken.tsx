import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Failed } from '../shared/States.tsx';
import { isMissingPart, reloadSoon } from '../shared/missing-parts.ts';

/** What stands in place of a page that threw. A part that is missing is asked for by loading the page again. */
export function BrokenPage({ error }: Pick<ErrorComponentProps, 'error'>) {
  const router = useRouter();
  const { reset } = useQueryErrorResetBoundary();
  const isMissing = isMissingPart(error);
  useEffect(() => (isMissing ? reloadSoon() : undefined), [isMissing]);
  return (
    <Failed
      error={error}
      onRetry={() => {
        if (isMissing) return location.reload();
        reset();
        void router.invalidate();
      }}
    />
  );
}

/** The same where there is no frame around it. */
export const Broken = (props: Pick<ErrorComponentProps, 'error'>) => (
  <main id="page">
    <BrokenPage {...props} />
  </main>
);
