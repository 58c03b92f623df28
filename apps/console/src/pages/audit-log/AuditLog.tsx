import { Box, Button, Center, Group, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { IconHistory, IconUser } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { lazy, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AuditEntry, auditLogQuery } from '../../api/audit-log.ts';
import { Choice } from '../../shared/Choice.tsx';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { DaysField } from '../../shared/DaysField.tsx';
import { OnceOpened } from '../../shared/OnceOpened.tsx';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { changed } from '../../shared/search-params.ts';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { ACTIONS, type AuditSearch, toFilter } from './search.ts';
import classes from './AuditLog.module.css';

const AuditDrawer = lazy(() => import('./AuditDrawer.tsx'));

export const page = createLazyRoute('/shell/audit-log')({ component: AuditLog });

function AuditLog() {
  const { t } = useTranslation('audit-log');
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const log = useInfiniteQuery(auditLogQuery(toFilter(search)));
  const entries = useMemo(() => log.data?.pages.flatMap(({ items }) => items) ?? [], [log.data]);
  const [chosen, choose] = useState<AuditEntry | null>(null);
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page title={t('title')} about={t('about')}>
      <Filters
        search={search}
        onChange={(change) =>
          void navigate({ search: (before) => changed(before, change), replace: true, resetScroll: false })
        }
      />
      <Panel>
        {log.isPending && <LoadingRows rows={10} />}
        {log.isError && entries.length === 0 && (
          <Failed error={log.error} onRetry={() => void log.refetch()} />
        )}
        {log.isSuccess && entries.length === 0 && (
          <Nothing
            icon={IconHistory}
            title={t(isFiltered ? 'none.filtered' : 'none.title')}
            about={t(isFiltered ? 'none.filteredAbout' : 'none.about')}
          />
        )}
        {entries.length > 0 && <EntryTable entries={entries} onChoose={choose} />}
        {log.hasNextPage && (
          <Center p="md">
            <Button
              variant="default"
              loading={log.isFetchingNextPage}
              onClick={() => void log.fetchNextPage()}
            >
              {t('more')}
            </Button>
          </Center>
        )}
      </Panel>
      <OnceOpened isOpen={chosen !== null}>
        <AuditDrawer entry={chosen} onClose={() => choose(null)} />
      </OnceOpened>
    </Page>
  );
}

interface FiltersProps {
  readonly search: AuditSearch;
  readonly onChange: (change: { [name in keyof AuditSearch]?: string | undefined }) => void;
}

function Filters({ search, onChange }: FiltersProps) {
  const { t } = useTranslation('audit-log');
  const known = ACTIONS.map(([value, name]) => ({ value: value as string, label: t(`actions.${name}`) }));
  const { action } = search;
  const isOther = action !== undefined && !known.some(({ value }) => value === action);
  return (
    <Group gap="sm" align="flex-end">
      <DaysField days={search} onChange={onChange} />
      <Choice
        flex="1 1 10rem"
        maw={{ sm: 220 }}
        label={t('action')}
        placeholder={t('everyAction')}
        clearable
        data={[...known, ...(isOther ? [{ value: action, label: action }] : [])]}
        value={action ?? null}
        onChange={(value) => onChange({ action: value ?? undefined })}
      />
      <ActorField key={search.actor} actor={search.actor ?? ''} onChange={(actor) => onChange({ actor })} />
    </Group>
  );
}

/** An e-mail address is looked for once it is whole. */
function ActorField({
  actor,
  onChange,
}: {
  readonly actor: string;
  readonly onChange: (to: string) => void;
}) {
  const { t } = useTranslation('audit-log');
  const [text, setText] = useState(actor);
  return (
    <Box
      component="form"
      flex="1 1 12rem"
      maw={{ sm: 288 }}
      onSubmit={(event) => {
        event.preventDefault();
        onChange(text.trim());
      }}
    >
      <TextInput
        label={t('actor')}
        placeholder={t('everybody')}
        leftSection={<IconUser size={16} />}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onBlur={() => onChange(text.trim())}
      />
    </Box>
  );
}

interface EntryTableProps {
  readonly entries: readonly AuditEntry[];
  readonly onChoose: (entry: AuditEntry) => void;
}

function EntryTable({ entries, onChoose }: EntryTableProps) {
  const { t } = useTranslation('audit-log');
  const format = useFormat();
  const columns = useMemo(
    (): readonly Column<AuditEntry>[] => [
      {
        id: 'action',
        header: t('columns.action'),
        card: 'title',
        cell: (entry) => (
          <Stack gap={1}>
            <UnstyledButton className={`tg-mono ${classes.open}`} onClick={() => onChoose(entry)}>
              {entry.action}
            </UnstyledButton>
            {entry.reason !== null && (
              <Text size="xs" c="dimmed" lineClamp={1}>
                {entry.reason}
              </Text>
            )}
          </Stack>
        ),
      },
      {
        id: 'object',
        header: t('columns.object'),
        cell: ({ object }) => (
          <Text size="sm" lineClamp={1} maw={340} style={{ overflowWrap: 'anywhere' }}>
            {object ?? '–'}
          </Text>
        ),
      },
      { id: 'actor', header: t('columns.actor'), cell: ({ actor }) => actor },
      {
        id: 'at',
        header: t('columns.at'),
        align: 'end',
        cell: ({ at }) => (
          <time dateTime={at} title={format.moment(at)} className="tg-number">
            {format.shortMoment(at)}
          </time>
        ),
      },
    ],
    [t, format, onChoose],
  );
  return <DataTable label={t('title')} columns={columns} rows={entries} rowId={({ id }) => id} />;
}
