import { Button, Group, TextInput } from '@mantine/core';
import { IconBooks, IconPlus, IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Published } from '../../api/catalogue.ts';
import type { Draft } from '../../api/drafts.ts';
import { Panel } from '../../shared/Panel.tsx';
import { Nothing } from '../../shared/States.tsx';
import { type EditedSection, entriesAfter } from './changes.ts';
import { EntryTable } from './EntryTable.tsx';
import type { CatalogueSearch, ChangeSearch } from './search.ts';

const AutoGroups = lazy(() => import('./AutoGroups.tsx'));

interface EntriesTabProps {
  readonly live: Published;
  readonly draft: Draft | undefined;
  readonly section: EditedSection;
  readonly search: CatalogueSearch;
  readonly change: ChangeSearch;
}

/** Models, groups or vendors, live or as a draft would have them. */
export default function EntriesTab({ live, draft, section, search, change }: EntriesTabProps) {
  const { t } = useTranslation('catalogue');
  // The table goes through all of them when they are others, and they are the same in another order.
  const entries = useMemo(
    () => entriesAfter(live.catalogue, draft?.changes ?? [], section),
    [live, draft, section],
  );
  const { find = '' } = search;
  const found = useMemo(() => {
    const words = find.toLowerCase().split(/\s+/);
    return entries.filter((entry) => {
      const text =
        `${entry.name} ${entry.description} ${'vendor' in entry ? entry.vendor : ''}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }, [entries, find]);
  const add = (
    <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => change({ edit: '+' })}>
      {t(`add.${section}`)}
    </Button>
  );
  return (
    <>
      <Group mb="sm" gap="sm" align="flex-end" justify="space-between">
        <TextInput
          flex="1 1 14rem"
          maw={{ sm: 380 }}
          aria-label={t('find')}
          placeholder={t('find')}
          leftSection={<IconSearch size={16} />}
          value={find}
          onChange={({ currentTarget }) => change({ find: currentTarget.value })}
        />
        {add}
      </Group>
      <Panel>
        {found.length === 0 ? (
          <Nothing
            icon={IconBooks}
            title={t(entries.length === 0 ? `none.${section}` : 'none.found')}
            about={t(entries.length === 0 ? 'none.add' : 'none.fewer')}
            action={entries.length === 0 ? add : undefined}
          />
        ) : (
          <EntryTable live={live} draft={draft} section={section} entries={found} change={change} />
        )}
      </Panel>
      <Suspense>{section === 'groups' && <AutoGroups live={live} draft={draft} change={change} />}</Suspense>
    </>
  );
}
