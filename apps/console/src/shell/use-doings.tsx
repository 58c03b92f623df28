import { useMantineColorScheme } from '@mantine/core';
import type { SpotlightActionGroupData } from '@mantine/spotlight';
import { IconKey, IconLanguage, IconLogout, IconMoon, IconSun } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { speak } from '../i18n/i18n.ts';
import { type Language, LANGUAGES } from '../i18n/languages.ts';
import { useAllowed } from '../shared/use-allowed.ts';
import { PlaceIcon } from './PlaceIcon.tsx';
import { useSignOut } from './use-sign-out.ts';

type Action = SpotlightActionGroupData['actions'][number];

/** What is done here and now, and what is done on a page of its own by those who may. */
export function useDoings(isSignedIn: boolean): Action[] {
  const { t } = useTranslation(['palette', 'common']);
  const router = useRouter();
  const { setColorScheme } = useMantineColorScheme();
  const managesKeys = useAllowed('keys:write');
  const signOut = useSignOut();
  const more = usePageDoings();
  return [
    ...(managesKeys
      ? [
          {
            id: 'create-key',
            label: t('createKey'),
            leftSection: <IconKey size={18} stroke={1.6} />,
            onClick: () => void router.navigate({ to: '/keys', search: { create: true } }),
          },
        ]
      : []),
    ...more,
    {
      id: 'dark',
      label: t('dark'),
      leftSection: <IconMoon size={18} stroke={1.6} />,
      onClick: () => setColorScheme('dark'),
    },
    {
      id: 'light',
      label: t('light'),
      leftSection: <IconSun size={18} stroke={1.6} />,
      onClick: () => setColorScheme('light'),
    },
    ...Object.entries(LANGUAGES).map(([tag, name]) => ({
      id: tag,
      label: name,
      keywords: [t('common:language'), tag],
      leftSection: <IconLanguage size={18} stroke={1.6} />,
      onClick: () => void speak(tag as Language),
    })),
    ...(isSignedIn
      ? [
          {
            id: 'sign-out',
            label: t('common:signOut'),
            leftSection: <IconLogout size={18} stroke={1.6} />,
            onClick: signOut,
          },
        ]
      : []),
  ];
}

/** What is done on a page of its own, by those who may. */
function usePageDoings(): Action[] {
  const { t } = useTranslation('palette');
  const router = useRouter();
  const toAction = (
    id: string,
    words: Parameters<typeof PlaceIcon>[0]['words'],
    label: string,
    onClick: () => unknown,
  ): Action => ({
    id,
    label,
    leftSection: <PlaceIcon words={words} size={18} stroke={1.6} />,
    onClick: () => void onClick(),
  });
  return [
    ...(useAllowed('ledger:write')
      ? [toAction('grant', 'accounts', t('grant'), () => router.navigate({ to: '/accounts' }))]
      : []),
    ...(useAllowed('ledger:write')
      ? [
          toAction('close-month', 'periods', t('closeMonth'), () =>
            router.navigate({ to: '/periods', search: { close: true } }),
          ),
          toAction('new-codes', 'redemption-codes', t('newCodes'), () =>
            router.navigate({ to: '/redemption-codes', search: { create: true } }),
          ),
          toAction('compare-invoice', 'reconciliation', t('compareInvoice'), () =>
            router.navigate({ to: '/reconciliation', search: { create: true } }),
          ),
        ]
      : []),
    ...(useAllowed('exports:write')
      ? [
          toAction('new-export', 'exports', t('newExport'), () =>
            router.navigate({ to: '/exports', search: { create: 'export' } }),
          ),
        ]
      : []),
    ...(useAllowed('accounts:write')
      ? [
          toAction('new-account', 'accounts', t('newAccount'), () =>
            router.navigate({ to: '/accounts', search: { create: true } }),
          ),
        ]
      : []),
    ...(useAllowed('members:write')
      ? [
          toAction('invite', 'users', t('invite'), () =>
            router.navigate({ to: '/users', search: { invite: true } }),
          ),
        ]
      : []),
    ...(useAllowed('catalogue:write')
      ? [
          toAction('provider', 'upstreams', t('addProvider'), () =>
            router.navigate({ to: '/upstreams', search: { add: 'provider' } }),
          ),
        ]
      : []),
  ];
}
