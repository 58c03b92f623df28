import { Button, Group, Text } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { EntryDifference } from '../../api/catalogue.ts';
import { Mark, type MarkTone } from '../../shared/Mark.tsx';
import { type DifferenceRow, percentChange, toRows } from './difference-rows.ts';
import { useValueText } from './use-value-text.ts';
import classes from './Catalogue.module.css';

const TONES: Readonly<Record<EntryDifference['change'], MarkTone>> = {
  added: 'good',
  removed: 'bad',
  changed: 'warn',
};

interface DifferenceListProps {
  readonly differences: readonly EntryDifference[];
  /** Names of accounts by their ids, for discounts. */
  readonly accountNames?: ReadonlyMap<string, string> | undefined;
  /** Takes the change that made a difference back. */
  readonly onTakeBack?: (difference: EntryDifference) => void;
}

/** What one catalogue says otherwise than another, entry by entry and field by field. */
export function DifferenceList({ differences, accountNames, onTakeBack }: DifferenceListProps) {
  const { t } = useTranslation(['catalogue', 'catalogue-versions']);
  return (
    <div>
      {differences.map((difference) => {
        const { section, name, change } = difference;
        const shown = section === 'discounts' ? (accountNames?.get(name) ?? name) : name;
        const kind = t(`sections.${section as 'models'}`);
        return (
          <section key={`${section}/${name}`} className={classes.entry} aria-label={`${kind} ${shown}`}>
            <Group justify="space-between" gap="xs">
              <Group gap="xs">
                <Text size="sm" c="dimmed">
                  {kind}
                </Text>
                <Text size="sm" fw={620} className="tg-mono">
                  {name === '*' ? t('order') : shown}
                </Text>
                <Mark tone={TONES[change]}>{t(`changes.${change}`, { ns: 'catalogue-versions' })}</Mark>
              </Group>
              {onTakeBack && (
                <Button
                  variant="subtle"
                  color="gray"
                  size="compact-sm"
                  leftSection={<IconArrowBackUp size={15} />}
                  aria-label={t('takeBackOf', { name: shown })}
                  onClick={() => onTakeBack(difference)}
                >
                  {t('takeBack')}
                </Button>
              )}
            </Group>
            <table className={classes.fields}>
              <tbody>
                {toRows(difference).map((row) => (
                  <FieldRow key={row.path.join('/')} row={row} />
                ))}
              </tbody>
            </table>
          </section>
        );
      })}
    </div>
  );
}

function FieldRow({ row }: { readonly row: DifferenceRow }) {
  const { t } = useTranslation('catalogue');
  const { textOf, nameOf } = useValueText();
  const percent = percentChange(row.from, row.to);
  const hasFrom = 'from' in row;
  const hasTo = 'to' in row;
  return (
    <tr>
      <th scope="row">{nameOf(row.path)}</th>
      <td className="tg-number">
        {hasFrom && <span className={classes.before}>{textOf(row, row.from)}</span>}
        {hasFrom && hasTo && (
          <span className={classes.arrow} aria-label={t('becomes')} role="img">
            →
          </span>
        )}
        {hasTo && <span className={classes.after}>{textOf(row, row.to)}</span>}
        {percent !== undefined && (
          <span className={classes.percent}>
            {t('percent', { percent: percent > 0 ? `+${percent}` : String(percent) })}
          </span>
        )}
      </td>
    </tr>
  );
}
