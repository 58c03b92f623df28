import '@mantine/spotlight/styles.layer.css';
import { useMantineColorScheme } from '@mantine/core';
import { Spotlight, spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { IconKey, IconLanguage, IconLogout, IconMoon, IconSearch, IconSun } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { speak } from '../i18n/i18n.ts';
import { type Language, LANGUAGES } from '../i18n/languages.ts';
import { useAllowed } from '../shared/use-allowed.ts';
import { PlaceIcon } from './PlaceIcon.tsx';
import { useSections } from './use-sections.ts';
import { useSignOut } from './use-sign-out.ts';

/** Everything that can be reached, by typing. It opens whenever `calls` rises. */
export default function Palette({ calls }: { readonly calls: number }) {
  const { t } = useTranslation();
  const router = useRouter();
  const { session, sections } = useSections();
  const { setColorScheme } = useMantineColorScheme();
  const managesKeys = useAllowed('keys:write');
  const signOut = useSignOut();
  useEffect(() => {
    if (calls > 0) spotlight.open();
  }, [calls]);

  const pages = sections.flatMap(({ places }) =>
    places.map(({ path: to, words }) => ({
      id: to,
      label: t(`places.${words}`),
      leftSection: <PlaceIcon words={words} size={18} stroke={1.6} />,
      onClick: () => void router.navigate({ to }),
    })),
  );
  const doings = [
    ...(managesKeys
      ? [
          {
            id: 'create-key',
            label: t('palette.createKey'),
            leftSection: <IconKey size={18} stroke={1.6} />,
            onClick: () => void router.navigate({ to: '/keys', search: { create: true } }),
          },
        ]
      : []),
    {
      id: 'dark',
      label: t('palette.dark'),
      leftSection: <IconMoon size={18} stroke={1.6} />,
      onClick: () => setColorScheme('dark'),
    },
    {
      id: 'light',
      label: t('palette.light'),
      leftSection: <IconSun size={18} stroke={1.6} />,
      onClick: () => setColorScheme('light'),
    },
    ...Object.entries(LANGUAGES).map(([tag, name]) => ({
      id: tag,
      label: name,
      keywords: [t('language'), tag],
      leftSection: <IconLanguage size={18} stroke={1.6} />,
      onClick: () => void speak(tag as Language),
    })),
    ...(session
      ? [
          {
            id: 'sign-out',
            label: t('signOut'),
            leftSection: <IconLogout size={18} stroke={1.6} />,
            onClick: signOut,
          },
        ]
      : []),
  ];
  const actions: SpotlightActionGroupData[] = [
    { group: t('palette.pages'), actions: pages },
    { group: t('palette.doings'), actions: doings },
  ];
  return (
    <Spotlight
      actions={actions}
      shortcut={null}
      attributes={{ content: { 'aria-label': t('search') } }}
      nothingFound={t('palette.nothing')}
      highlightQuery
      scrollable
      maxHeight={420}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: t('palette.ask'),
        'aria-label': t('palette.ask'),
      }}
    />
  );
}
