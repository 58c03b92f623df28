import { Button, Group } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { testUpstream } from '../../api/upstreams.ts';
import { Mark } from '../../shared/Mark.tsx';
import { useErrorText } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { findTestFailure } from './test-models.ts';

const TestFailure = lazy(() => import('./TestFailure.tsx'));

interface TestButtonProps {
  readonly upstream: string;
  /** Left out where nothing is known to be served. */
  readonly model: string | undefined;
}

/** Sends one tiny request through an upstream and says what came of it. */
export function TestButton({ upstream, model }: TestButtonProps) {
  const { t } = useTranslation('upstreams');
  const format = useFormat();
  const errorText = useErrorText();
  const test = useMutation({
    mutationFn: () => testUpstream(upstream, model === undefined ? {} : { model }),
  });
  const failed = test.data && !test.data.ok ? test.data : null;
  const failure = test.error ? errorText(test.error) : failed?.error;
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-start">
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconBolt size={14} />}
        loading={test.isPending}
        aria-label={t('testOf', { name: upstream })}
        onClick={() => test.mutate()}
      >
        {t('test')}
      </Button>
      <span role="status">
        {test.data?.ok && <Mark tone="good">{t('ms', { ms: format.count(test.data.latency_ms) })}</Mark>}
        {(failed || test.error) && (
          <Suspense>
            <TestFailure
              name={failed ? t(`testFailures.${findTestFailure(failed)}`) : t('failed')}
              why={failure ?? t('failed')}
            />
          </Suspense>
        )}
      </span>
    </Group>
  );
}
