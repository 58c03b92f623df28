import { Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { LedgerAudit } from '../../api/audits.ts';
import { Reading, Values, Verdict } from '../../shared/Verdict.tsx';
import { useFormat } from '../../shared/use-format.ts';

const MAX_SHOWN = 10;

interface AuditedProps {
  readonly audit: LedgerAudit;
  /** Reads all of it again. */
  readonly onFromStart: () => void;
}

/** How far an audit of the ledger is, or what it found, and what it left out. */
export default function Audited({ audit, onFromStart }: AuditedProps) {
  const { t } = useTranslation('ledger');
  const { checked, total, step, difference_count: count, transactions, after } = audit;
  if (audit.ended_at === null) {
    const text = t('audited.running', { step: t(`audited.steps.${step ?? 'sums'}`), checked, total });
    return <Reading text={text} goesOn={t('audited.goesOn')} checked={checked} total={total} />;
  }
  const isRight = audit.verified === true;
  return (
    <Verdict isRight={isRight} title={isRight ? t('audited.right') : t('audited.wrong', { count })}>
      <Text size="sm" c="dimmed">
        {t(isRight ? 'audited.proves' : 'audited.means')}
      </Text>
      <Text size="sm">{t('audited.read', { count: transactions })}</Text>
      {!audit.from_start && (
        <Group gap="xs">
          <Text size="sm">{t('audited.left', { number: after })}</Text>
          <Button variant="default" size="compact-sm" onClick={onFromStart}>
            {t('audited.fromStart')}
          </Button>
        </Group>
      )}
      {audit.differences.slice(0, MAX_SHOWN).map((difference) => (
        <Difference
          key={`${difference.check} ${difference.number ?? ''} ${difference.account_id ?? ''}`}
          {...difference}
        />
      ))}
    </Verdict>
  );
}

function Difference({
  check,
  number,
  account_id,
  expected_usd,
  found_usd,
}: LedgerAudit['differences'][number]) {
  const { t } = useTranslation('ledger');
  const format = useFormat();
  const where = number === null ? account_id : t('audited.transaction', { number });
  return (
    <div>
      <Text size="sm">
        <span className="tg-mono">{check}</span>
        {where === null ? '' : ` · ${where}`}
      </Text>
      {expected_usd !== null && found_usd !== null && (
        <Values>
          {t('audited.values', {
            expected: format.exactMoney(expected_usd),
            found: format.exactMoney(found_usd),
          })}
        </Values>
      )}
    </div>
  );
}
