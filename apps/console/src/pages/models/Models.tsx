import { Group, Text, TextInput } from '@mantine/core';
import { IconSearch, IconTag } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { findOwn } from '@tollgate/vocabulary';
import { type PriceBook, pricesQuery } from '../../api/pricing.ts';
import { Choice } from '../../shared/Choice.tsx';
import { toRatio } from '../../shared/format.ts';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { firstGroup } from '../../shared/price-book.ts';
import { changed } from '../../shared/search-params.ts';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { useOperationName } from '../../shared/use-operation-name.ts';
import { findModels, listPurposes } from './find-models.ts';
import { ModelTable } from './ModelTable.tsx';
import type { ModelsSearch } from './search.ts';

const ModelDrawer = lazy(() => import('./ModelDrawer.tsx'));

export const page = createLazyRoute('/shell/models')({ component: Models });

function Models() {
  const { t } = useTranslation('models');
  const format = useFormat();
  const { data: book, error, refetch } = useQuery(pricesQuery);
  return (
    <Page title={t('title')} about={t('about')}>
      {error && !book && <Failed error={error} onRetry={() => void refetch()} />}
      {!error && !book && (
        <Panel>
          <LoadingRows />
        </Panel>
      )}
      {book && <Book book={book} />}
      {book && (
        <Text size="xs" c="dimmed">
          {t('version', { version: book.snapshot_version, date: format.moment(book.published_at) })}
        </Text>
      )}
    </Page>
  );
}

type SearchChange = { [name in keyof ModelsSearch]?: string | undefined };

function Book({ book }: { readonly book: PriceBook }) {
  const { t } = useTranslation('models');
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const group = search.group ?? firstGroup(book);
  const { find, vendor, operation } = search;
  const models = useMemo(
    () => findModels(book, { find, vendor, operation, group }),
    [book, find, vendor, operation, group],
  );
  const ratio = toRatio(findOwn(book.group_ratio, group ?? '') ?? 1);
  const shown = book.data.find(({ model_name }) => model_name === search.model);
  const change = useCallback(
    (change: SearchChange) =>
      void navigate({ search: (before) => changed(before, change), replace: true, resetScroll: false }),
    [navigate],
  );
  const open = useCallback((model: string) => change({ model }), [change]);

  return (
    <>
      <Filters book={book} search={search} group={group} onChange={change} />
      {group !== undefined && (
        <Text size="sm" c="dimmed" mt={-8}>
          {t('groupMeans', { group, ratio, about: findOwn(book.usable_group, group) ?? '' })}
        </Text>
      )}
      <Panel>
        {models.length === 0 ? (
          <Nothing icon={IconTag} title={t('none.title')} about={t('none.about')} />
        ) : (
          <ModelTable models={models} ratio={ratio} onOpen={open} />
        )}
      </Panel>
      <Suspense>
        {shown && (
          <ModelDrawer
            model={shown}
            book={book}
            group={group ?? ''}
            onClose={() => change({ model: undefined })}
          />
        )}
      </Suspense>
    </>
  );
}

interface FiltersProps {
  readonly book: PriceBook;
  readonly search: ModelsSearch;
  readonly group: string | undefined;
  readonly onChange: (change: SearchChange) => void;
}

function Filters({ book, search, group, onChange }: FiltersProps) {
  const { t } = useTranslation('models');
  return (
    <Group gap="sm" align="flex-end">
      <TextInput
        flex="1 1 14rem"
        label={t('find')}
        placeholder={t('findWhat')}
        leftSection={<IconSearch size={16} />}
        value={search.find ?? ''}
        onChange={({ currentTarget }) => onChange({ find: currentTarget.value })}
      />
      <Choice
        flex="1 1 9rem"
        maw={{ sm: 200 }}
        label={t('vendor')}
        placeholder={t('everyVendor')}
        clearable
        data={[...new Set(book.data.map(({ owner_by }) => owner_by))].sort()}
        value={search.vendor ?? null}
        onChange={(vendor) => onChange({ vendor: vendor ?? undefined })}
      />
      <PurposeChoice
        book={book}
        value={search.operation ?? null}
        onChange={(operation) => onChange({ operation: operation ?? undefined })}
      />
      <Choice
        flex="1 1 9rem"
        maw={{ sm: 200 }}
        label={t('group')}
        allowDeselect={false}
        data={Object.keys(book.group_ratio)}
        value={group ?? null}
        onChange={(chosen) => onChange({ group: chosen ?? undefined })}
      />
    </Group>
  );
}

interface PurposeChoiceProps {
  readonly book: PriceBook;
  readonly value: string | null;
  readonly onChange: (operation: string | null) => void;
}

/** Only where there is something to choose from. */
function PurposeChoice({ book, value, onChange }: PurposeChoiceProps) {
  const { t } = useTranslation('operations');
  const operationName = useOperationName();
  const purposes = listPurposes(book);
  if (purposes.length < 2 && value === null) return null;
  return (
    <Choice
      flex="1 1 9rem"
      maw={{ sm: 200 }}
      label={t('purpose')}
      placeholder={t('everyPurpose')}
      clearable
      data={purposes.map((operation) => ({ value: operation, label: operationName(operation) }))}
      value={value}
      onChange={onChange}
    />
  );
}
