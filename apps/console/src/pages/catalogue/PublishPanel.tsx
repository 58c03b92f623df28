import '@mantine/dates/styles.layer.css';
import 'dayjs/locale/zh-cn';
import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { IconClock, IconRocket, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CATALOGUE } from '../../api/catalogue.ts';
import {
  type Draft,
  draftQuery,
  publishDraft,
  removeDraft,
  scheduleDraft,
  unscheduleDraft,
} from '../../api/drafts.ts';
import { ApiError } from '../../api/result.ts';
import { notify } from '../../shared/notify.ts';
import { Panel } from '../../shared/Panel.tsx';
import { useErrorText } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import type { ChangeSearch } from './search.ts';
import { useDraftWriter } from './use-draft-writer.ts';
import classes from './Catalogue.module.css';
import { dayIn, momentIn } from '../../shared/clock.ts';
import { useZone } from '../../shared/use-zone.ts';

const ConfirmDialog = lazy(() => import('../../shared/ConfirmDialog.tsx'));

interface PublishPanelProps {
  readonly draft: Draft;
  readonly change: ChangeSearch;
}

/** How a draft becomes a version: now, on its day, or never. */
export function PublishPanel({ draft, change }: PublishPanelProps) {
  const { t } = useTranslation(['catalogue-versions', 'catalogue']);
  const { open, isPending, error } = usePublication(draft, change);
  const errorText = useErrorText();
  const [reason, setReason] = useState(draft.reason);
  const [isDiscarding, discard] = useState(false);
  const writer = useDraftWriter();
  if (draft.status === 'published') return null;
  const keepReason = () => {
    if (reason.trim() !== '' && reason.trim() !== draft.reason)
      writer.mutate({ name: draft.name, edit: (changes) => changes, reason: reason.trim() });
  };
  return (
    <Panel>
      <div className={classes.section}>
        <Stack gap="md">
          <div>
            <Title order={2}>{t('publish.title')}</Title>
            <Text size="sm" c="dimmed">
              {t('publish.about')}
            </Text>
          </div>
          {draft.status === 'open' && (
            <TextInput
              label={t('publish.reason')}
              maxLength={500}
              maw={620}
              value={reason}
              onChange={({ currentTarget }) => setReason(currentTarget.value)}
              onBlur={keepReason}
            />
          )}
          <Actions
            draft={draft}
            doings={open}
            onDiscard={() => discard(true)}
            isPending={isPending || writer.isPending}
          />
          {(error ?? writer.error) && (
            <Text role="alert" size="sm" c="var(--mantine-color-error)">
              {errorText(error ?? writer.error)}
            </Text>
          )}
        </Stack>
      </div>
      <Suspense>
        {isDiscarding && (
          <ConfirmDialog
            title={t('publish.discarding', { name: draft.name })}
            about={t('publish.discardingAbout', { count: draft.changes.length })}
            submit={t('publish.discard')}
            onClose={() => discard(false)}
            onConfirm={() => {
              discard(false);
              open('discard');
            }}
          />
        )}
      </Suspense>
    </Panel>
  );
}

type Doing = 'publish' | 'unschedule' | 'discard' | { readonly scheduleAt: string };

function usePublication(draft: Draft, change: ChangeSearch) {
  const { t } = useTranslation(['catalogue-versions', 'common']);
  const queryClient = useQueryClient();
  const doing = useMutation({
    mutationFn: async (what: Doing): Promise<void> => {
      const { name } = draft;
      if (what === 'publish') {
        const { version } = await publishDraft(name, draft.revision);
        notify({ message: t('published.done', { ns: 'common', version }) });
        await change({ draft: undefined, tab: 'versions', from: undefined, to: undefined });
      } else if (what === 'discard') {
        await removeDraft(name);
        await change({ draft: undefined, tab: undefined });
        queryClient.removeQueries({ queryKey: draftQuery(name).queryKey });
        notify({ message: t('publish.discarded', { name }) });
      } else if (what === 'unschedule') await unscheduleDraft(name);
      else await scheduleDraft(name, draft.revision, what.scheduleAt);
    },
    // Then the page shows what somebody else has made of it.
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'draft_changed')
        void queryClient.invalidateQueries({ queryKey: CATALOGUE });
    },
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: CATALOGUE }),
        queryClient.invalidateQueries({ queryKey: ['prices', 'newest'] }),
      ]),
  });
  return { open: doing.mutate, isPending: doing.isPending, error: doing.error };
}

interface ActionsProps {
  readonly draft: Draft;
  readonly doings: (what: Doing) => void;
  readonly onDiscard: () => void;
  readonly isPending: boolean;
}

function Actions({ draft, doings, onDiscard, isPending }: ActionsProps) {
  const { t } = useTranslation(['catalogue-versions', 'catalogue']);
  const format = useFormat();
  if (draft.status === 'scheduled') {
    return (
      <Group gap="sm">
        <Text size="sm">
          {t('draft.scheduled', {
            ns: 'catalogue',
            date: draft.effective_at === null ? '' : format.moment(draft.effective_at),
          })}
        </Text>
        <Button variant="default" loading={isPending} onClick={() => doings('unschedule')}>
          {t('publish.unschedule')}
        </Button>
      </Group>
    );
  }
  const mayPublish = draft.faults.length === 0 && draft.differences.length > 0;
  return (
    <Group gap="sm" align="flex-end" justify="space-between">
      <Group gap="sm" align="flex-end">
        <Button
          leftSection={<IconRocket size={16} />}
          disabled={!mayPublish}
          loading={isPending}
          onClick={() => doings('publish')}
        >
          {t('publish.now')}
        </Button>
        <Schedule mayPublish={mayPublish} doings={doings} />
      </Group>
      <Button
        variant="subtle"
        color="red.9"
        c="var(--mantine-color-error)"
        leftSection={<IconTrash size={16} />}
        disabled={isPending}
        onClick={onDiscard}
      >
        {t('publish.discard')}
      </Button>
    </Group>
  );
}

interface ScheduleProps extends Pick<ActionsProps, 'doings'> {
  readonly mayPublish: boolean;
}

/** When it goes live, by the clock of the account. */
function Schedule({ mayPublish, doings }: ScheduleProps) {
  const { t, i18n } = useTranslation('catalogue-versions');
  const zone = useZone();
  const [day, setDay] = useState<string | null>(null);
  const isZh = i18n.language === 'zh-CN';
  return (
    <>
      <DateTimePicker
        w={230}
        label={t('publish.on')}
        placeholder={t('publish.day')}
        minDate={dayIn(zone, Date.now())}
        clearable
        locale={isZh ? 'zh-cn' : 'en'}
        valueFormat={isZh ? 'YYYY年M月D日 HH:mm' : 'MMM D, YYYY HH:mm'}
        clearButtonProps={{ 'aria-label': t('publish.clear') }}
        submitButtonProps={{ 'aria-label': t('publish.take') }}
        timePickerProps={{ 'aria-label': t('publish.time') }}
        value={day}
        onChange={setDay}
      />
      <Button
        variant="default"
        leftSection={<IconClock size={16} />}
        disabled={!mayPublish || day === null}
        onClick={() => {
          if (day !== null) doings({ scheduleAt: momentIn(zone, day.replace(' ', 'T')).toISOString() });
        }}
      >
        {t('publish.schedule')}
      </Button>
    </>
  );
}
