import { lazy, Suspense, useSyncExternalStore } from 'react';
import { loadWords } from '../i18n/i18n.ts';
import { proof } from '../shared/proof.ts';

const ProofDialog = lazy(async () => {
  const [dialog] = await Promise.all([import('../factors/ProofDialog.tsx'), loadWords(['security'])]);
  return dialog;
});

/** Where somebody is asked once more who they are, whatever they do: the dialog is loaded when it is first wanted. */
export function ProofPlace() {
  const isRequired = useSyncExternalStore(proof.subscribe, proof.isRequired);
  return (
    isRequired && (
      <Suspense>
        <ProofDialog onEnd={proof.end} />
      </Suspense>
    )
  );
}
