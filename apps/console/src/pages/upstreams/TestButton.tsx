import { Button, Group } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { testUpstream } from '../../api/upstreams.ts';
import { Mark } from '../../shared/Mark.tsx';
import { useErrorText } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';

const TestFailure = lazy(() => import('./TestFailure.tsx'));

interface TestButtonProps {
  readonly upstream: string;
  readonly credential?: string;
}

/** Sends one tiny request through an upstream and says what came of it. */
export function TestButton({ upstream, credential }: TestButtonProps) {
  const { t } = useTranslation('upstreams');
  const format = useFormat();
  const errorText = useErrorText();
  const test = useMutation({
    mutationFn: () => testUpstream(upstream, credential === undefined ? {} : { credential }),
  });
  const failure = test.error ? errorText(test.error) : (test.data?.error ?? null);
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-start">
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconBolt size={14} />}
        loading={test.isPending}
        aria-label={t('testOf', { name: credential ?? upstream })}
        onClick={() => test.mutate()}
      >
        {t('test')}
      </Button>
      <span role="status">
        {test.data?.ok && <Mark tone="good">{t('ms', { ms: format.count(test.data.latency_ms) })}</Mark>}
        {failure !== null && (
          <Suspense>
            <TestFailure
              name={test.data?.status ? t('statusOf', { status: test.data.status }) : t('failed')}
              why={failure}
            />
          </Suspense>
        )}
      </span>
    </Group>
  );
}
