import { Button, Stack, Text, TextInput } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconPencil, IconPlus, IconSearch, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountNamesQuery } from '../../api/account-names.ts';
import { catalogueQuery, type Published, putDiscounts } from '../../api/catalogue.ts';
import { RowMenu } from '../../shared/RowMenu.tsx';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { notify } from '../../shared/notify.ts';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { Failed, LoadingRows, Nothing, useErrorText } from '../../shared/States.tsx';
import { usePublishing } from '../upstreams/use-publishing.ts';
import { type AccountDiscounts, byAccount } from './discount-form.ts';
import { useLookup } from '../../shared/use-lookup.ts';

const DiscountDialog = lazy(() => import('./DiscountDialog.tsx'));
const ConfirmDialog = lazy(() => import('../../shared/ConfirmDialog.tsx'));

export const page = createLazyRoute('/shell/discounts')({ component: Discounts });

function Discounts() {
  const { t } = useTranslation('discounts');
  const { data, error, refetch } = useQuery(catalogueQuery);
  const [edited, edit] = useState<string | null>(null);
  const entries = useMemo(() => (data ? byAccount(data.catalogue) : []), [data]);
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => edit('')}>
      {t('add')}
    </Button>
  );
  return (
    <Page title={t('title')} about={t('about')} actions={entries.length > 0 && add}>
      <Panel>
        {error && !data && <Failed error={error} onRetry={() => void refetch()} />}
        {!error && !data && <LoadingRows />}
        {data && entries.length === 0 && (
          <Nothing
            icon={IconAdjustmentsHorizontal}
            title={t('none.title')}
            about={t('none.about')}
            action={add}
          />
        )}
        {data && entries.length > 0 && <Table live={data} entries={entries} onEdit={edit} />}
      </Panel>
      <Suspense>
        {data && edited !== null && (
          <DiscountDialog live={data} account={edited} onClose={() => edit(null)} />
        )}
      </Suspense>
    </Page>
  );
}

interface TableProps {
  readonly live: Published;
  readonly entries: readonly AccountDiscounts[];
  readonly onEdit: (account: string) => void;
}

function Table({ live, entries, onEdit }: TableProps) {
  const { t } = useTranslation('discounts');
  const errorText = useErrorText();
  const names = useLookup(accountNamesQuery(entries.map(({ account }) => account))).data;
  const { mutate: remove } = usePublishing((account: string) => putDiscounts(live, account, []));
  const [doomed, doom] = useState<string | null>(null);
  const [find, setFind] = useState('');
  const text = find.trim().toLowerCase();
  const nameOf = useCallback((account: string) => names?.get(account) ?? account, [names]);
  const columns = useMemo(
    (): readonly Column<AccountDiscounts>[] => [
      {
        id: 'account',
        header: t('columns.account'),
        card: 'title',
        sortBy: ({ account }) => nameOf(account),
        cell: ({ account }) => (
          <Text size="sm" fw={580}>
            {nameOf(account)}
          </Text>
        ),
      },
      {
        id: 'discounts',
        header: t('columns.discounts'),
        cell: ({ discounts }) => (
          <Stack gap={2}>
            {discounts.map(({ models, ratio }, index) => (
              <Text key={index} size="sm" className="tg-number">
                {t('pays', { ratio, models: models.includes('*') ? t('everyModel') : models.join(', ') })}
              </Text>
            ))}
          </Stack>
        ),
      },
      {
        id: 'actions',
        header: t('columns.actions'),
        align: 'end',
        card: 'corner',
        cell: ({ account }) => (
          <RowMenu
            label={t('doings', { name: nameOf(account) })}
            sections={() => [
              {
                entries: [
                  { label: t('edit'), icon: <IconPencil size={16} />, onClick: () => onEdit(account) },
                ],
              },
              {
                entries: [
                  {
                    label: t('remove'),
                    icon: <IconTrash size={16} />,
                    isDanger: true,
                    onClick: () => doom(account),
                  },
                ],
              },
            ]}
          />
        ),
      },
    ],
    [t, nameOf, onEdit],
  );
  const found = useMemo(
    () => entries.filter(({ account }) => `${account} ${nameOf(account)}`.toLowerCase().includes(text)),
    [entries, nameOf, text],
  );
  return (
    <>
      <TextInput
        m="md"
        maw={{ sm: 380 }}
        aria-label={t('find')}
        placeholder={t('find')}
        leftSection={<IconSearch size={16} />}
        value={find}
        onChange={({ currentTarget }) => setFind(currentTarget.value)}
      />
      {found.length === 0 ? (
        <Nothing icon={IconAdjustmentsHorizontal} title={t('none.found')} about={t('none.fewer')} />
      ) : (
        <DataTable
          id="discounts"
          label={t('title')}
          columns={columns}
          rows={found}
          rowId={({ account }) => account}
        />
      )}
      <Suspense>
        {doomed !== null && (
          <ConfirmDialog
            title={t('removing.title', { name: nameOf(doomed) })}
            about={t('removing.about')}
            submit={t('remove')}
            onClose={() => doom(null)}
            onConfirm={() => {
              doom(null);
              remove(doomed, {
                onError: (error) => notify({ color: 'red', title: t('refused'), message: errorText(error) }),
              });
            }}
          />
        )}
      </Suspense>
    </>
  );
}
