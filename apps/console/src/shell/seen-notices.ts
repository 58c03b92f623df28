import type { Notice } from '../api/notices.ts';

/** How many of the notices are not among those that were seen; `kept` is what this browser remembers of them. */
export function countUnseen(kept: string | null, notices: readonly Pick<Notice, 'id'>[]): number {
  const seen = new Set(parseIds(kept));
  return notices.filter(({ id }) => !seen.has(id)).length;
}

function parseIds(kept: string | null): readonly unknown[] {
  try {
    const ids: unknown = JSON.parse(kept ?? '[]');
    return Array.isArray(ids) ? ids : [];
  } catch {
    return [];
  }
}
