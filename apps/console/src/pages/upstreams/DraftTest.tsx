import { Autocomplete, Button, Fieldset, Group, Stack } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Published, Upstream } from '../../api/catalogue.ts';
import { tryUpstream } from '../../api/upstreams.ts';
import { listTestModels } from './test-models.ts';
import { TestOutcome } from './TestOutcome.tsx';
import { toUpstream, type UpstreamForm } from './upstream-form.ts';

interface DraftTestProps {
  readonly live: Published;
  readonly upstream: Upstream | undefined;
  readonly values: UpstreamForm;
  /** Shows what is wrong in the form. @returns whether anything is. */
  readonly isFaulty: () => boolean;
}

/** Tries an upstream as the form states it: nothing is published for it. */
export function DraftTest({ live, upstream, values, isFaulty }: DraftTestProps) {
  const { t } = useTranslation('upstreams');
  const models = listTestModels(live.catalogue, upstream?.name ?? '');
  const [model, setModel] = useState(models[0] ?? '');
  const test = useMutation({
    mutationFn: () => {
      const { name, ...body } = toUpstream(values, upstream);
      return tryUpstream(name, { upstream: body, model: model.trim() });
    },
  });
  return (
    <Fieldset legend={t('test')}>
      <Stack gap="xs">
        <Group align="flex-end" gap="sm">
          <Autocomplete
            flex="1 1 12rem"
            label={t('provider.testModel')}
            description={t('testModelMeans')}
            data={models}
            value={model}
            onChange={setModel}
          />
          <Button
            variant="default"
            leftSection={<IconBolt size={16} />}
            disabled={model.trim() === ''}
            loading={test.isPending}
            onClick={() => !isFaulty() && test.mutate()}
          >
            {t('testDraft')}
          </Button>
        </Group>
        <div role="status">
          <TestOutcome outcome={test.data} error={test.error} />
        </div>
      </Stack>
    </Fieldset>
  );
}
