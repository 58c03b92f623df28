import { Alert, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Trial } from '../../api/upstreams.ts';
import { Mark } from '../../shared/Mark.tsx';
import { useErrorText } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { findTestFailure } from './test-models.ts';

interface TestOutcomeProps {
  readonly outcome: Trial | undefined;
  /** Why it could not even be tried. */
  readonly error: Error | null;
}

/** What came of a test: in the reader's words, and below them in the upstream's own. */
export function TestOutcome({ outcome, error }: TestOutcomeProps) {
  const { t } = useTranslation('upstreams');
  const format = useFormat();
  const errorText = useErrorText();
  if (error)
    return (
      <Alert color="red" p="xs" role="alert">
        {errorText(error)}
      </Alert>
    );
  if (!outcome) return null;
  if (outcome.ok)
    return <Mark tone="good">{t('provider.works', { ms: format.count(outcome.latency_ms) })}</Mark>;
  const status = outcome.status === null ? '' : ` (${outcome.status})`;
  return (
    <Alert
      color="red"
      p="xs"
      role="alert"
      title={`${t(`testFailures.${findTestFailure(outcome)}`)}${status}`}
    >
      {outcome.error !== null && (
        <Text size="sm" className="tg-mono">
          {outcome.error}
        </Text>
      )}
    </Alert>
  );
}
