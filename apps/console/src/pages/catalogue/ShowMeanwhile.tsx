import { lazy, type ReactNode, Suspense } from 'react';
import { ChangedMeanwhile } from '../../api/changed-meanwhile.ts';
import { loadWords } from '../../i18n/i18n.ts';
import type { Choice } from './use-decision.ts';

const Meanwhile = lazy(async () => {
  const [panel] = await Promise.all([
    import('./Meanwhile.tsx'),
    loadWords(['catalogue', 'catalogue-versions', 'meter-kinds', 'operations']),
  ]);
  return panel;
});

interface ShowMeanwhileProps<Newest> {
  readonly error: Error | null;
  readonly onDecide: (choice: Choice, newest: Newest) => void;
  /** What stands there for any other error. */
  readonly children?: ReactNode;
}

/** Asks what becomes of what was typed, where that is why it was refused. */
export function ShowMeanwhile<Newest>({ error, onDecide, children }: ShowMeanwhileProps<Newest>) {
  if (!(error instanceof ChangedMeanwhile)) return children;
  return (
    <Suspense>
      <Meanwhile error={error} onDecide={(choice) => onDecide(choice, error.newest as Newest)} />
    </Suspense>
  );
}
