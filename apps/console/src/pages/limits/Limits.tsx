import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { catalogueQuery, type Published, putLimits } from '../../api/catalogue.ts';
import { CLIENT_PROTOCOLS, OTHER_OPERATIONS } from '@tollgate/vocabulary';
import { FormError } from '../../shared/FormError.tsx';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { rebase } from '../../shared/rebase.ts';
import { Failed, LoadingRows } from '../../shared/States.tsx';
import { useOperationName } from '../../shared/use-operation-name.ts';
import { ShowMeanwhile } from '../catalogue/ShowMeanwhile.tsx';
import type { Choice } from '../catalogue/use-decision.ts';
import { usePublishing } from '../upstreams/use-publishing.ts';
import { LimitFields } from './LimitFields.tsx';
import type { LimitName } from './limit-form.ts';
import { type Holder, isSame, type LimitsForm, toLimitsForm, toLimits } from './limits-form.ts';
import classes from './Limits.module.css';

export const page = createLazyRoute('/shell/limits')({ component: Limits });

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
      {data && <LimitsEditor newest={data} />}
    </Page>
  );
}

/** The limits that were there when one began to type: what others publish meanwhile takes nothing of it away. */
function useLimitsForm(newest: Published) {
  const [seen, see] = useState(newest);
  const existing = toLimitsForm(seen.catalogue.limits);
  const [form, setForm] = useState(existing);
  const now = toLimitsForm(newest.catalogue.limits);
  if (newest !== seen && (isSame(form, existing) || isSame(form, now))) {
    see(newest);
    setForm(now);
  }
  const decide = (choice: Choice, published: Published) => {
    const theirs = toLimitsForm(published.catalogue.limits);
    see(published);
    setForm(choice === 'theirs' ? theirs : rebase(existing, form, theirs));
  };
  return { seen, existing, form, setForm, decide };
}

function LimitsEditor({ newest }: { readonly newest: Published }) {
  const { t } = useTranslation('limits');
  const operationName = useOperationName();
  const { seen, existing, form, setForm, decide } = useLimitsForm(newest);
  const publishing = usePublishing((values: LimitsForm) => putLimits(seen, toLimits(values)));
  const decideOn = (choice: Choice, published: Published) => {
    publishing.reset();
    decide(choice, published);
  };
  const inputOf = (holder: Holder) => (limit: LimitName) => ({
    value: form[holder][limit],
    onChange: (value: number | string) =>
      setForm((before) => ({ ...before, [holder]: { ...before[holder], [limit]: value } })),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    publishing.mutate(form);
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        <Panel>
          {(['client', 'key'] as const).map((part) => (
            <section key={part} className={classes.part} aria-label={t(`${part}.title`)}>
              <Title order={2}>{t(`${part}.title`)}</Title>
              <Text size="sm" c="dimmed" mb="sm">
                {t(`${part}.about`)}
              </Text>
              <LimitFields input={inputOf(part)} />
            </section>
          ))}
        </Panel>
        <Panel>
          <div className={classes.lead}>
            <Title order={2}>{t('routes.title')}</Title>
            <Text size="sm" c="dimmed">
              {t('routes.about')}
            </Text>
          </div>
          {CLIENT_PROTOCOLS.map((protocol) => (
            <section key={protocol} className={classes.route} aria-label={t(`routes.${protocol}`)}>
              <Title order={3}>{t(`routes.${protocol}`)}</Title>
              <LimitFields input={inputOf(protocol)} />
            </section>
          ))}
          {OTHER_OPERATIONS.map((operation) => (
            <section key={operation} className={classes.route} aria-label={operationName(operation)}>
              <Title order={3}>{operationName(operation)}</Title>
              <LimitFields input={inputOf(operation)} />
            </section>
          ))}
        </Panel>
        <ShowMeanwhile<Published> error={publishing.error} onDecide={decideOn}>
          <FormError error={publishing.error} />
        </ShowMeanwhile>
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {t('elsewhere')}
          </Text>
          <Button type="submit" disabled={isSame(form, existing)} loading={publishing.isPending}>
            {t('publish')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
