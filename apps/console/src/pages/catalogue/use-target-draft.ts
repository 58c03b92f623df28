import { useState } from 'react';
import { alikeDraftsQuery, type Draft } from '../../api/drafts.ts';
import { findFreeName } from './changes.ts';
import { dayIn } from '../../shared/clock.ts';
import { useZone } from '../../shared/use-zone.ts';
import { useLookup } from '../../shared/use-lookup.ts';

/** The draft that a change goes into: the one that is looked at, or one that is begun today. Empty until its name is known. */
export function useTargetDraft(draft: Draft | undefined) {
  const [stated, setStated] = useState<string | null>(null);
  const ofDay = `prices-${dayIn(useZone(), Date.now())}`;
  const { data: alike = [], isLoading } = useLookup({
    ...alikeDraftsQuery(ofDay),
    enabled: draft === undefined,
  });
  const proposed = isLoading ? '' : findFreeName(ofDay, alike);
  return [draft?.name ?? stated ?? proposed, setStated, isLoading] as const;
}
