import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Invite, MEMBERS, revokeInvite } from '../../api/members.ts';
import { Moment } from '../../shared/Moment.tsx';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { notify } from '../../shared/notify.ts';
import { useErrorText } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';

const ConfirmDialog = lazy(() => import('../../shared/ConfirmDialog.tsx'));

/** Invitations that nobody has accepted yet. Their links were shown once and are not here. */
export function InviteTable({
  account,
  invites,
}: {
  readonly account: string;
  readonly invites: readonly Invite[];
}) {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  const errorText = useErrorText();
  const queryClient = useQueryClient();
  const [doomed, doom] = useState<Invite | null>(null);
  const revoking = useMutation({
    mutationFn: ({ id }: Invite) => revokeInvite(account, id),
    onError: (error) => notify({ color: 'red', title: t('refused'), message: errorText(error) }),
    onSuccess: (_nothing, { email }) => notify({ message: t('revoked', { email }) }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: MEMBERS }),
  });
  const columns = useMemo(
    (): readonly Column<Invite>[] => [
      {
        id: 'email',
        header: t('columns.email'),
        card: 'title',
        cell: ({ email }) => (
          <Text size="sm" fw={580} style={{ overflowWrap: 'anywhere' }}>
            {email}
          </Text>
        ),
      },
      {
        id: 'role',
        header: t('columns.role'),
        cell: ({ role }) => t(`roles.${role}`, { ns: 'common' }),
      },
      { id: 'by', header: t('columns.by'), cell: ({ created_by: by }) => by },
      {
        id: 'until',
        header: t('columns.until'),
        cell: ({ expires_at: at }) => <Moment at={at} as="ago" />,
      },
      {
        id: 'actions',
        header: t('columns.actions'),
        align: 'end',
        card: 'corner',
        cell: (invite) => (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('revokeOf', { email: invite.email })}
            onClick={() => doom(invite)}
          >
            {t('revoke')}
          </Button>
        ),
      },
    ],
    [t, format],
  );
  return (
    <>
      <DataTable label={t('open')} columns={columns} rows={invites} rowId={({ id }) => id} />
      {doomed && (
        <Suspense>
          <ConfirmDialog
            title={t('revoking.title', { email: doomed.email })}
            about={t('revoking.about')}
            submit={t('revoking.submit')}
            onClose={() => doom(null)}
            onConfirm={() => {
              doom(null);
              revoking.mutate(doomed);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
