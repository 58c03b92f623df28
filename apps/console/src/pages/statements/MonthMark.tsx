import { useTranslation } from 'react-i18next';
import type { StatementSummary } from '../../api/statements.ts';
import { Mark } from '../../shared/Mark.tsx';

/** Whether a month's figures may still change. */
export function MonthMark({ status }: Pick<StatementSummary, 'status'>) {
  const { t } = useTranslation('statements');
  return <Mark tone={status === 'closed' ? 'good' : 'accent'}>{t(`status.${status}`)}</Mark>;
}
