import { ActionIcon, Button, Group } from '@mantine/core';
import {
  IconAdjustmentsHorizontal,
  IconArrowBackUp,
  IconCash,
  IconDots,
  IconEraser,
  IconGift,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconScale,
  IconUsers,
} from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Account, ACCOUNTS, changeAccount } from '../../api/accounts.ts';
import type { AccountOperation } from '../../api/ledger.ts';
import { ActionsMenu } from '../../shared/ActionsMenu.tsx';
import { notify } from '../../shared/notify.ts';
import type { MenuEntry } from '../../shared/OpenableMenu.tsx';
import { useErrorText } from '../../shared/States.tsx';

const ConfirmDialog = lazy(() => import('../../shared/ConfirmDialog.tsx'));
const OperationDialog = lazy(() => import('./OperationDialog.tsx'));
const AccountDialog = lazy(() => import('./AccountDialog.tsx'));

const OPERATIONS: readonly (readonly [AccountOperation, typeof IconGift])[] = [
  ['payment', IconCash],
  ['payout', IconArrowBackUp],
  ['adjustment', IconScale],
  ['write_off', IconEraser],
];

interface AccountActionsProps {
  readonly account: Account;
  readonly canManageAllAccounts: boolean;
  /** The address asks for the dialog. */
  readonly grantsAtOnce: boolean;
  readonly onClose: () => void;
}

/** What can be done with an account: its books by all who keep them, the account itself by operators. */
export function AccountActions({
  account,
  canManageAllAccounts,
  grantsAtOnce,
  onClose,
}: AccountActionsProps) {
  const { t } = useTranslation('accounts');
  const router = useRouter();
  const setStatus = useStatus(account);
  const [open, setOpen] = useState<AccountOperation | 'change' | 'disable' | null>(
    grantsAtOnce ? 'grant' : null,
  );
  const close = () => {
    setOpen(null);
    onClose();
  };
  const isActive = account.status === 'active';
  const discounts: readonly MenuEntry[] = Object.hasOwn(router.routesByPath, '/discounts')
    ? [
        {
          label: t('discounts'),
          icon: <IconAdjustmentsHorizontal size={16} />,
          onClick: () => router.history.push('/discounts'),
        },
      ]
    : [];

  return (
    <Group gap="xs">
      <Button leftSection={<IconGift size={16} />} onClick={() => setOpen('grant')}>
        {t('operations.grant.name')}
      </Button>
      <ActionsMenu
        width={230}
        target={
          <ActionIcon variant="default" size={36} aria-label={t('doings', { name: account.name })}>
            <IconDots size={17} />
          </ActionIcon>
        }
        sections={() => [
          {
            entries: OPERATIONS.map(([kind, Icon]) => ({
              label: t(`operations.${kind}.name`),
              icon: <Icon size={16} />,
              onClick: () => setOpen(kind),
            })),
          },
          ...(canManageAllAccounts
            ? [
                {
                  entries: [
                    {
                      label: t('change'),
                      icon: <IconPencil size={16} />,
                      onClick: () => setOpen('change'),
                    },
                    {
                      label: t('people'),
                      icon: <IconUsers size={16} />,
                      onClick: () => void router.navigate({ to: '/users', search: { account: account.id } }),
                    },
                    ...discounts,
                    {
                      label: t(isActive ? 'disable' : 'enable'),
                      icon: isActive ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />,
                      isDanger: isActive,
                      onClick: () => (isActive ? setOpen('disable') : setStatus.mutate('active')),
                    },
                  ],
                },
              ]
            : []),
        ]}
      />
      <Suspense>
        {open === 'change' && <AccountDialog account={account} onClose={close} />}
        {open !== null && open !== 'change' && open !== 'disable' && (
          <OperationDialog kind={open} account={account} onClose={close} />
        )}
        {open === 'disable' && (
          <ConfirmDialog
            title={t('disabling.title', { name: account.name })}
            about={t('disabling.about')}
            submit={t('disabling.submit')}
            onClose={close}
            onConfirm={() => {
              close();
              setStatus.mutate('disabled');
            }}
          />
        )}
      </Suspense>
    </Group>
  );
}

function useStatus({ id, name }: Account) {
  const { t } = useTranslation(['accounts', 'finance']);
  const queryClient = useQueryClient();
  const errorText = useErrorText();
  return useMutation({
    mutationFn: (status: Account['status']) => changeAccount(id, { status }),
    onSuccess: ({ status }) => notify({ message: t(`made.${status}`, { name }) }),
    onError: (error) =>
      notify({ color: 'red', title: t('refused', { ns: 'finance' }), message: errorText(error) }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ACCOUNTS }),
  });
}
