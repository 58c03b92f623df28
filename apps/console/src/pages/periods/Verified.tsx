import { Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Verification } from '../../api/periods.ts';
import { Copy } from '../../shared/Copy.tsx';
import { Reading, Values, Verdict } from '../../shared/Verdict.tsx';
import { AccountName } from '../accounts/AccountName.tsx';
import classes from './Periods.module.css';
import { useMonth } from './use-month.ts';

const MAX_SHOWN = 5;

interface VerifiedProps {
  readonly outcome: Verification;
  /** Reads all of it again. */
  readonly onFromStart: () => void;
}

/** How far a verification of the chain of months is, or what it found, and what that proves. */
export function Verified({ outcome, onFromStart }: VerifiedProps) {
  const { t } = useTranslation('periods');
  if (outcome.ended_at === null) {
    const { checked, total } = outcome;
    const text = t('verified.running', { checked, total });
    return <Reading text={text} goesOn={t('verified.goesOn')} checked={checked} total={total} />;
  }
  const known = outcome.items.reduce((sum, each) => sum + each.known, 0);
  const periods = outcome.items.reduce((sum, each) => sum + each.periods, 0);
  const differing = outcome.items.filter(({ first_difference }) => first_difference !== null);
  const lastHash = (outcome.items.length === 1 ? outcome.items[0]?.last_hash : undefined) ?? null;
  return (
    <Verdict
      isRight={outcome.verified === true}
      title={
        !outcome.verified
          ? t('verified.wrong', { count: differing.length })
          : periods === 0
            ? t('verified.none')
            : t('verified.right', { count: periods })
      }
    >
      <Text size="sm" c="dimmed">
        {t(!outcome.verified ? 'verified.means' : periods === 0 ? 'verified.noneMeans' : 'verified.proves')}
      </Text>
      {known > 0 && (
        <Group gap="xs">
          <Text size="sm">{t('verified.known', { count: known })}</Text>
          <Button variant="default" size="compact-sm" onClick={onFromStart}>
            {t('verified.fromStart')}
          </Button>
        </Group>
      )}
      {lastHash !== null && (
        <Group gap={2} wrap="nowrap">
          <span className={`tg-mono ${classes.hash}`}>{lastHash}</span>
          <Copy text={lastHash} what={t('verified.hash')} />
        </Group>
      )}
      {differing
        .slice(0, MAX_SHOWN)
        .map(
          ({ account_id, first_difference }) =>
            first_difference && <Difference key={account_id} account={account_id} {...first_difference} />,
        )}
    </Verdict>
  );
}

interface DifferenceProps {
  readonly account: string;
  readonly month: string;
  readonly what: string;
  readonly stored: unknown;
  readonly computed: unknown;
}

function Difference({ account, month, what, stored, computed }: DifferenceProps) {
  const { t } = useTranslation('periods');
  const monthText = useMonth();
  return (
    <div>
      <Text size="sm">
        <AccountName id={account} />
        {' · '}
        {month === '' ? '' : `${monthText(month)} · `}
        <span className="tg-mono">{what}</span>
      </Text>
      <Values>
        {t('verified.values', { stored: JSON.stringify(stored), computed: JSON.stringify(computed) })}
      </Values>
    </div>
  );
}
