import { lazy, Suspense, useState } from 'react';
import type { ApiKey, NewApiKey } from '../../api/keys.ts';
import { KeyTable } from './KeyTable.tsx';

const KeyDialog = lazy(() => import('./KeyDialog.tsx'));
const NewKeyDialog = lazy(() => import('./NewKeyDialog.tsx'));
const RotateDialog = lazy(() => import('./RotateDialog.tsx'));

interface KeyListProps {
  readonly keys: readonly ApiKey[];
  /** Whose they are; without one those of who looks. */
  readonly account?: string;
}

/** Keys of one account with what can be done with each. */
export function KeyList({ keys, account }: KeyListProps) {
  const [changing, setChanging] = useState<ApiKey | null>(null);
  const [rotating, setRotating] = useState<ApiKey | null>(null);
  const [made, setMade] = useState<NewApiKey | null>(null);
  return (
    <>
      <KeyTable keys={keys} account={account} onChange={setChanging} onRotate={setRotating} />
      <Suspense>
        {changing && <KeyDialog apiKey={changing} onClose={() => setChanging(null)} />}
        {rotating && (
          <RotateDialog
            apiKey={rotating}
            onClose={() => setRotating(null)}
            onRotated={(key) => {
              setRotating(null);
              setMade(key);
            }}
          />
        )}
        {made && <NewKeyDialog made={made} onClose={() => setMade(null)} />}
      </Suspense>
    </>
  );
}
