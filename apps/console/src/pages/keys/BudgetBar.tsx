import { Group, Progress, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ApiKey } from '../../api/keys.ts';
import { useFormat } from '../../shared/use-format.ts';
import { budgetsInUse } from './status.ts';
import classes from './Keys.module.css';

const NEARLY_FULL = 80;
/** A bar that says that something can be spent is not quite empty. */
const LEAST_SHOWN = 2;

/** What a key spent in all, and how full the fullest of its budgets is. */
export function BudgetBar({ apiKey }: { readonly apiKey: ApiKey }) {
  const { t } = useTranslation('keys');
  const format = useFormat();
  const uses = budgetsInUse(apiKey);
  const [fullest] = uses;
  if (!fullest) return <span className="tg-number">{format.shortMoney(apiKey.spent.total_usd)}</span>;

  const line = ({ window, spent, budget }: typeof fullest) =>
    t(`budgets.${window}`, { spent: format.shortMoney(spent), budget: format.shortMoney(budget) });
  const color = fullest.percent >= 100 ? 'red' : fullest.percent >= NEARLY_FULL ? 'yellow' : 'petrol';
  return (
    <Stack gap={5} className={classes.budget} title={uses.map(line).join('\n')}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <span className="tg-number">{format.shortMoney(fullest.spent)}</span>
        <Text span size="xs" c="dimmed" className="tg-number">
          {t(`of.${fullest.window}`, { budget: format.shortMoney(fullest.budget) })}
        </Text>
      </Group>
      <Progress
        value={Math.max(fullest.percent, LEAST_SHOWN)}
        size={4}
        color={color}
        aria-label={line(fullest)}
      />
    </Stack>
  );
}
