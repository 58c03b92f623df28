import { Box, Group, TextInput } from '@mantine/core';
import { IconHistory, IconUser } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { lazy, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AuditEntry, auditLogQuery, readAuditLog } from '../../api/audit-log.ts';
import { Choice } from '../../shared/Choice.tsx';
import { DaysField } from '../../shared/DaysField.tsx';
import { NextPage } from '../../shared/MoreButton.tsx';
import { OnceOpened } from '../../shared/OnceOpened.tsx';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { changed, isAnyFilter } from '../../shared/search-params.ts';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { toFilter } from './entry-filter.ts';
import { EntryTable } from './EntryTable.tsx';
import { ACTIONS, type AuditSearch } from './search.ts';
import { useZone } from '../../shared/use-zone.ts';

const AuditDrawer = lazy(() => import('./AuditDrawer.tsx'));

export const page = createLazyRoute('/shell/audit-log')({ component: AuditLog });

function AuditLog() {
  const { t } = useTranslation(['audit-log', 'audit-actions']);
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const filter = toFilter(search, useZone());
  const log = useInfiniteQuery(auditLogQuery(filter));
  const entries = useMemo(() => log.data?.pages.flatMap(({ items }) => items) ?? [], [log.data]);
  const [chosen, choose] = useState<AuditEntry | null>(null);
  const isFiltered = isAnyFilter(search);
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
        {entries.length > 0 && (
          <EntryTable entries={entries} readAll={() => readAuditLog(filter)} onChoose={choose} />
        )}
        <NextPage list={log} label={t('more')} />
      </Panel>
      <OnceOpened isOpen={chosen !== null}>
        <AuditDrawer entry={chosen} onClose={() => choose(null)} />
      </OnceOpened>
    </Page>
  );
}

interface FiltersProps {
  readonly search: AuditSearch;
  readonly onChange: (change: { [name in keyof AuditSearch]?: AuditSearch[name] | undefined }) => void;
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
