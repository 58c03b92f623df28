import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { alikeDraftsQuery, type Draft } from '../../api/drafts.ts';
import { findFreeName, nameOfDay } from './changes.ts';

/** The draft that a change goes into: the one that is looked at, or one that is begun today. */
export function useTargetDraft(draft: Draft | undefined) {
  const [stated, setStated] = useState<string | null>(null);
  const ofDay = nameOfDay('prices');
  const alike = useQuery({ ...alikeDraftsQuery(ofDay), enabled: draft === undefined }).data ?? [];
  return [draft?.name ?? stated ?? findFreeName(ofDay, alike), setStated] as const;
}
