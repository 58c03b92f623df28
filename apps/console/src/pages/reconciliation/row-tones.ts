import type { RowStatus } from '../../api/row-statuses.ts';
import type { MarkTone } from '../../shared/Mark.tsx';

export const ROW_TONES: Readonly<Record<RowStatus, MarkTone>> = {
  ok: 'good',
  differs: 'bad',
  only_ours: 'warn',
  only_theirs: 'bad',
};
