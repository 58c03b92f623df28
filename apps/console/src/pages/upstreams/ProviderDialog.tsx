import { Alert, Button, Group, MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Published } from '../../api/catalogue.ts';
import {
  addProvider,
  listProviderModels,
  type Provider,
  providerPreviewQuery,
  providersQuery,
  type ProviderRequest,
  testProvider,
} from '../../api/providers.ts';
import { FormDialog } from '../../shared/FormDialog.tsx';
import { hideNotice, notify } from '../../shared/notify.ts';
import { Mark } from '../../shared/Mark.tsx';
import { useErrorText } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import {
  isComplete,
  listOffered,
  type PriceForm,
  type ProviderForm,
  toProviderForm,
  toProviderRequest,
  toSettings,
} from './provider-form.ts';
import { ProviderAccess } from './ProviderAccess.tsx';
import { ProviderModels } from './ProviderModels.tsx';
import { usePublishing } from './use-publishing.ts';

interface ProviderDialogProps {
  readonly live: Published;
  readonly onClose: () => void;
}

/** What is filled in so far, what was found out about it, and what it would publish. */
function useProviderForm(live: Published, providers: readonly Provider[]) {
  const [form, setForm] = useState<ProviderForm | null>(null);
  const [picked, setPicked] = useState<readonly string[] | null>(null);
  const [prices, setPrices] = useState<Readonly<Record<string, PriceForm>>>({});
  const [groups, setGroups] = useState<readonly string[]>(() => findOpenGroups(live));
  const provider = providers.find(({ name }) => name === form?.provider);
  const test = useTest();
  const offered = provider ? listOffered(provider, test.data?.models ?? []) : [];
  const chosen = offered.filter(({ name, listed }) => picked?.includes(name) ?? listed !== undefined);
  const body = form && toProviderRequest(form, chosen, prices, groups);
  const publishing = usePublishing(async (request: ProviderRequest) => {
    const { version } = await addProvider(request);
    return { version: version ?? 0, hash: '', changed: true };
  });
  const change = (values: Partial<ProviderForm>) => {
    setForm((before) => before && { ...before, ...values });
    test.reset();
  };
  const choose = (name: string | null) => {
    const found = providers.find((each) => each.name === name);
    const taken = [...live.catalogue.upstreams, ...live.catalogue.pools].map((each) => each.name);
    setForm(found ? toProviderForm(found, new Set(taken)) : null);
    setPicked(null);
    setPrices({});
    test.reset();
  };
  const ready = provider !== undefined && form !== null && isComplete(provider, form);
  const preview = useQuery(
    providerPreviewQuery(
      body ?? { provider: '', models: [] },
      ready && test.isSuccess && (body?.models.length ?? 0) > 0,
    ),
  );
  return {
    form,
    body,
    provider,
    test,
    offered,
    chosen,
    prices,
    groups,
    ready,
    publishing,
    preview,
    change,
    choose,
    setPicked,
    setPrices,
    setGroups,
  };
}

/** From a credential to requests that are served, on one page. */
export default function ProviderDialog({ live, onClose }: ProviderDialogProps) {
  const { t } = useTranslation('upstreams');
  const { data: providers = [], error } = useQuery(providersQuery);
  const filled = useProviderForm(live, providers);
  const { form, body, provider, test, offered, chosen, ready, publishing, preview } = filled;
  const offerToAsk = useOfferToAsk();
  const done = (model: string | undefined) => {
    onClose();
    if (model !== undefined) offerToAsk(model);
  };
  return (
    <FormDialog
      title={t('provider.add')}
      size="xl"
      submit={t('provider.publish', { count: body?.models.length ?? 0 })}
      note={t('atOnce')}
      error={error ?? publishing.error}
      isPending={publishing.isPending}
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && body && body.models.length > 0)
          publishing.mutate(body, { onSuccess: () => done(body.models[0]?.name) });
      }}
    >
      <Select
        label={t('provider.which')}
        placeholder={t('provider.whichSuch')}
        searchable
        data={providers.map(({ name, title }) => ({ value: name, label: title }))}
        value={form?.provider ?? null}
        onChange={filled.choose}
      />
      {provider && form && (
        <>
          <ProviderAccess provider={provider} form={form} onChange={filled.change} />
          <TestLine provider={provider} form={form} isReady={ready} test={test} />
          <ProviderModels
            provider={provider}
            offered={offered}
            picked={chosen.map(({ name }) => name)}
            prices={filled.prices}
            onPick={filled.setPicked}
            onPrice={(name, price) => filled.setPrices((before) => ({ ...before, [name]: price }))}
          />
          <MultiSelect
            label={t('provider.groups')}
            description={t('provider.groupsMean')}
            data={live.catalogue.groups.filter(({ models }) => !models.includes('*')).map(({ name }) => name)}
            value={[...filled.groups]}
            onChange={filled.setGroups}
          />
          <PreviewNotes notes={preview.data?.notes ?? []} error={preview.error} />
        </>
      )}
    </FormDialog>
  );
}

/** Says that a model is there to be asked, with the way to it. */
function useOfferToAsk(): (model: string) => void {
  const { t } = useTranslation('upstreams');
  const router = useRouter();
  return (model) => {
    const id = `ask-${model}`;
    const ask = () => {
      hideNotice(id);
      void router.navigate({ to: '/playground', search: { model } });
    };
    notify({
      id,
      autoClose: 20_000,
      message: (
        <Group justify="space-between">
          {t('provider.served')}
          <Button size="compact-sm" variant="light" onClick={ask}>
            {t('provider.ask', { model })}
          </Button>
        </Group>
      ),
    });
  };
}

/** Groups that offer every model already need none. */
const findOpenGroups = ({ catalogue: { groups } }: Published): string[] =>
  groups.filter(({ name, models }) => name === 'default' && !models.includes('*')).map(({ name }) => name);

interface PreviewNotesProps {
  readonly notes: readonly string[];
  readonly error: Error | null;
}

/** What would still be missing after publishing, or why it cannot be published. */
function PreviewNotes({ notes, error }: PreviewNotesProps) {
  const errorText = useErrorText();
  return (
    <>
      {notes.map((note) => (
        <Alert key={note} color="yellow" p="xs">
          {note}
        </Alert>
      ))}
      {error && (
        <Alert color="red" p="xs">
          {errorText(error)}
        </Alert>
      )}
    </>
  );
}

interface Tried {
  readonly ok: boolean;
  readonly latencyMs: number;
  readonly error: string | null;
  readonly models: readonly string[];
}

/** Tries a provider with one tiny request, and asks which models it has. */
const useTest = () =>
  useMutation({
    mutationFn: async ({
      form,
      model,
    }: {
      readonly form: ProviderForm;
      readonly model: string;
    }): Promise<Tried> => {
      const settings = toSettings(form);
      const { models } = await listProviderModels(settings);
      const asked = model.trim() || models[0];
      if (asked === undefined) return { ok: false, latencyMs: 0, error: null, models };
      const { ok, latency_ms, error } = await testProvider({ ...settings, model: asked });
      return { ok, latencyMs: latency_ms, error, models };
    },
  });

interface TestLineProps {
  readonly provider: Provider;
  readonly form: ProviderForm;
  readonly isReady: boolean;
  readonly test: ReturnType<typeof useTest>;
}

function TestLine({ provider, form, isReady, test }: TestLineProps) {
  const { t } = useTranslation('upstreams');
  const format = useFormat();
  const errorText = useErrorText();
  const [model, setModel] = useState<string | null>(null);
  const asked = model ?? provider.models[0]?.name ?? '';
  const failure = test.error ? errorText(test.error) : test.data?.error;
  return (
    <Stack gap="xs">
      <Group align="flex-end" gap="sm">
        <TextInput
          flex="1 1 12rem"
          label={t('provider.testModel')}
          value={asked}
          onChange={({ currentTarget: { value } }) => setModel(value)}
        />
        <Button
          variant="default"
          leftSection={<IconBolt size={16} />}
          disabled={!isReady}
          loading={test.isPending}
          onClick={() => test.mutate({ form, model: asked })}
        >
          {t('provider.test')}
        </Button>
      </Group>
      <Text role="status" size="sm">
        {test.data?.ok && (
          <Mark tone="good">{t('provider.works', { ms: format.count(test.data.latencyMs) })}</Mark>
        )}
        {test.data && !test.data.ok && !failure && t('provider.noModel')}
      </Text>
      {failure && (
        <Alert color="red" p="xs">
          {failure}
        </Alert>
      )}
    </Stack>
  );
}
