import { lazy, Suspense, useState } from 'react';
import type { ApiKey, NewApiKey } from '../../api/keys.ts';
import { KeyTable } from './KeyTable.tsx';

const KeyDialog = lazy(() => import('./KeyDialog.tsx'));
const NewKeyDialog = lazy(() => import('./NewKeyDialog.tsx'));
const OwnerDialog = lazy(() => import('./OwnerDialog.tsx'));
const RotateDialog = lazy(() => import('./RotateDialog.tsx'));

interface KeyListProps {
  readonly keys: readonly ApiKey[];
  /** Whose they are; without one those of who looks. */
  readonly account?: string;
  /** All that fit, where these are a page of the list. */
  readonly readAll?: () => Promise<readonly ApiKey[]>;
}

/** Keys of one account with what can be done with each. */
export function KeyList({ keys, account, readAll }: KeyListProps) {
  const [changing, setChanging] = useState<ApiKey | null>(null);
  const [owning, setOwning] = useState<ApiKey | null>(null);
  const [rotating, setRotating] = useState<ApiKey | null>(null);
  const [made, setMade] = useState<NewApiKey | null>(null);
  return (
    <>
      <KeyTable
        keys={keys}
        account={account}
        readAll={readAll}
        onChange={setChanging}
        onOwner={setOwning}
        onRotate={setRotating}
      />
      <Suspense>
        {changing && <KeyDialog apiKey={changing} onClose={() => setChanging(null)} />}
        {owning && <OwnerDialog apiKey={owning} onClose={() => setOwning(null)} />}
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
