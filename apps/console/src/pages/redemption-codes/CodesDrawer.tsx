import { ActionIcon, Stack, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Batch, type Code, codesQuery } from '../../api/redemption.ts';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Mark, type MarkTone } from '../../shared/Mark.tsx';
import { MoreButton } from '../../shared/MoreButton.tsx';
import { SideDrawer } from '../../shared/SideDrawer.tsx';
import { Failed, LoadingRows } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';

const RevokeDialog = lazy(() => import('./RevokeDialog.tsx'));

const TONES: Readonly<Record<Code['status'], MarkTone>> = {
  open: 'good',
  redeemed: 'accent',
  revoked: 'plain',
};

interface CodesDrawerProps {
  readonly batch: Batch | null;
  readonly onClose: () => void;
}

/** What became of the codes of a batch. */
export default function CodesDrawer({ batch, onClose }: CodesDrawerProps) {
  return (
    <SideDrawer of={batch} onClose={onClose} title={({ note }) => note}>
      {(shown) => <Codes batch={shown} />}
    </SideDrawer>
  );
}

function Codes({ batch }: { readonly batch: Batch }) {
  const { t } = useTranslation('redemption-codes');
  const format = useFormat();
  const list = useInfiniteQuery(codesQuery(batch.id));
  const codes = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const [doomed, doom] = useState<Code | null>(null);
  const columns = useMemo(
    (): readonly Column<Code>[] => [
      {
        id: 'code',
        header: t('columns.code'),
        card: 'title',
        cell: ({ masked }) => <span className="tg-mono">{masked}</span>,
      },
      {
        id: 'status',
        header: t('columns.status'),
        cell: ({ status }) => <Mark tone={TONES[status]}>{t(`codes.${status}`)}</Mark>,
      },
      {
        id: 'who',
        header: t('columns.who'),
        cell: ({ redeemed_by: by, redeemed_at: at, revoked_why: why }) => (
          <Stack gap={0}>
            <Text size="sm" lineClamp={1}>
              {by ?? why}
            </Text>
            {at !== null && (
              <Text size="xs" c="dimmed">
                {format.moment(at)}
              </Text>
            )}
          </Stack>
        ),
      },
      {
        id: 'actions',
        header: t('columns.actions'),
        align: 'end',
        card: 'corner',
        cell: (code) =>
          code.status === 'open' && (
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={t('revoking.one', { code: code.masked })}
              onClick={() => doom(code)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          ),
      },
    ],
    [t, format],
  );
  if (list.isPending) return <LoadingRows />;
  if (list.isError && codes.length === 0)
    return <Failed error={list.error} onRetry={() => void list.refetch()} />;
  return (
    <>
      <DataTable label={t('columns.code')} columns={columns} rows={codes} rowId={({ id }) => id} />
      <MoreButton list={list} />
      {doomed && (
        <Suspense>
          <RevokeDialog batch={batch} code={doomed} onClose={() => doom(null)} />
        </Suspense>
      )}
    </>
  );
}
