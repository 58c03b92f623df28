import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { catalogueQuery, type CommonLimits, type Published, putLimits } from '../../api/catalogue.ts';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { Failed, LoadingRows, useErrorText } from '../../shared/States.tsx';
import { PROTOCOLS } from '../upstreams/forms.ts';
import { usePublishing } from '../upstreams/use-publishing.ts';
import { LimitFields } from './LimitFields.tsx';
import { hasLimits, type LimitForm, limitFormOf, limitOf } from './limit-form.ts';
import classes from './Limits.module.css';

export const page = createLazyRoute('/shell/limits')({ component: Limits });

interface LimitsForm {
  readonly client: LimitForm;
  readonly key: LimitForm;
  readonly route: Readonly<Record<(typeof PROTOCOLS)[number], LimitForm>>;
}

function Limits() {
  const { t } = useTranslation('limits');
  const { data, error, refetch } = useQuery(catalogueQuery);
  return (
    <Page title={t('title')} about={t('about')}>
      {error && !data && <Failed error={error} onRetry={() => void refetch()} />}
      {!error && !data && (
        <Panel>
          <LoadingRows rows={4} />
        </Panel>
      )}
      {data && <LimitsOf key={data.version} live={data} />}
    </Page>
  );
}

const formOf = ({ client, key, route }: CommonLimits): LimitsForm => ({
  client: limitFormOf(client),
  key: limitFormOf(key),
  route: {
    'openai-chat': limitFormOf(route['openai-chat']),
    'openai-responses': limitFormOf(route['openai-responses']),
    'anthropic-messages': limitFormOf(route['anthropic-messages']),
    gemini: limitFormOf(route['gemini']),
  },
});

const limitsOf = ({ client, key, route }: LimitsForm): CommonLimits => ({
  client: limitOf(client),
  key: limitOf(key),
  route: Object.fromEntries(
    PROTOCOLS.map((protocol) => [protocol, limitOf(route[protocol])] as const).filter(([, limit]) =>
      hasLimits(limit),
    ),
  ),
});

function LimitsOf({ live }: { readonly live: Published }) {
  const { t } = useTranslation('limits');
  const errorText = useErrorText();
  const form = useForm<LimitsForm>({ initialValues: formOf(live.catalogue.limits) });
  const publishing = usePublishing((values: LimitsForm) => putLimits(live.version, limitsOf(values)));
  return (
    <form noValidate onSubmit={form.onSubmit((values) => publishing.mutate(values))}>
      <Stack gap="md">
        <Panel>
          {(['client', 'key'] as const).map((part) => (
            <section key={part} className={classes.part} aria-label={t(`${part}.title`)}>
              <Title order={2}>{t(`${part}.title`)}</Title>
              <Text size="sm" c="dimmed" mb="sm">
                {t(`${part}.about`)}
              </Text>
              <LimitFields input={(limit) => form.getInputProps(`${part}.${limit}`)} />
            </section>
          ))}
        </Panel>
        <Panel>
          {PROTOCOLS.map((protocol) => (
            <section key={protocol} className={classes.part} aria-label={t(`routes.${protocol}`)}>
              <Title order={2} size="h3">
                {t(`routes.${protocol}`)}
              </Title>
              <Text size="sm" c="dimmed" mb="sm">
                {t('routeAbout')}
              </Text>
              <LimitFields input={(limit) => form.getInputProps(`route.${protocol}.${limit}`)} />
            </section>
          ))}
        </Panel>
        {publishing.error && (
          <Text role="alert" size="sm" c="var(--mantine-color-error)">
            {errorText(publishing.error)}
          </Text>
        )}
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {t('elsewhere')}
          </Text>
          <Button type="submit" disabled={!form.isDirty()} loading={publishing.isPending}>
            {t('publish')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
