import { Progress } from '@mantine/core';
import type { useTranslation } from 'react-i18next';
import type { ReactNode } from 'react';
import type { ApiKey } from '../../api/keys.ts';
import type { useFormat } from '../../shared/use-format.ts';
import { budgetsInUse } from './status.ts';
import classes from './Keys.module.css';

const NEARLY_FULL = 80;
/** A bar that says that something can be spent is not quite empty. */
const LEAST_SHOWN = 2;

/** What a key spent in all, and how full the fullest of its budgets is. */
export function showBudgets(
  apiKey: ApiKey,
  t: ReturnType<typeof useTranslation<'keys'>>['t'],
  format: ReturnType<typeof useFormat>,
): ReactNode {
  const uses = budgetsInUse(apiKey);
  const [fullest] = uses;
  if (!fullest) return <span className="tg-number">{format.shortMoney(apiKey.spent.total_usd)}</span>;

  const line = ({ window, spent, budget }: typeof fullest) =>
    t(`budgets.${window}`, { spent: format.shortMoney(spent), budget: format.shortMoney(budget) });
  const color = fullest.percent >= 100 ? 'red' : fullest.percent >= NEARLY_FULL ? 'yellow' : 'petrol';
  return (
    <div className={classes.budget} title={uses.map(line).join('\n')}>
      <div className={classes.figures}>
        <span className="tg-number">{format.shortMoney(fullest.spent)}</span>
        <span className="tg-note tg-number">
          {t(`of.${fullest.window}`, { budget: format.shortMoney(fullest.budget) })}
        </span>
      </div>
      <Progress
        value={Math.max(fullest.percent, LEAST_SHOWN)}
        size={4}
        color={color}
        aria-label={line(fullest)}
      />
    </div>
  );
}
