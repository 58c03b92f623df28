import type { ComparisonStatus } from '@tollgate/vocabulary';
import type { MarkTone } from '../../shared/Mark.tsx';

export const ROW_TONES: Readonly<Record<ComparisonStatus, MarkTone>> = {
  ok: 'good',
  differs: 'bad',
  only_ours: 'warn',
  only_theirs: 'bad',
};
