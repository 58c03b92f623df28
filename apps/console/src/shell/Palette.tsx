import '@mantine/spotlight/styles.layer.css';
import { Spotlight, spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PlaceIcon } from './PlaceIcon.tsx';
import { useDoings } from './use-doings.tsx';
import { useFound } from './use-found.tsx';
import { useSections } from './use-sections.ts';

type Action = SpotlightActionGroupData['actions'][number];

/** What the console knows by itself is looked through here; what was found of a text fits already. */
const fits = (query: string, { label = '', keywords = [] }: Action): boolean =>
  [label, ...keywords].some((word) => word.toLowerCase().includes(query.trim().toLowerCase()));

/** Everything that can be reached, by typing. It opens whenever `calls` rises. */
export default function Palette({ calls }: { readonly calls: number }) {
  const { t, ready } = useTranslation(['palette', 'common']);
  const router = useRouter();
  const { session, sections } = useSections();
  const [query, setQuery] = useState('');
  const { groups: found, isLooking } = useFound(query, session !== null);
  const doings = useDoings(session !== null);
  useEffect(() => {
    if (ready && calls > 0) spotlight.open();
  }, [ready, calls]);

  const pages = sections.flatMap(({ places }) =>
    places.map(({ path: to, words }) => ({
      id: to,
      label: t(`common:places.${words}`),
      leftSection: <PlaceIcon words={words} size={18} stroke={1.6} />,
      onClick: () => void router.navigate({ to }),
    })),
  );
  const known: SpotlightActionGroupData[] = [
    { group: t('pages'), actions: pages },
    { group: t('doings'), actions: doings },
  ];
  const actions = [
    ...known.map(({ group, actions: all }) => ({
      group,
      actions: all.filter((action) => fits(query, action)),
    })),
    ...found,
  ].filter(({ actions: all }) => all.length > 0);
  if (!ready) return null;
  return (
    <Spotlight
      actions={actions}
      query={query}
      onQueryChange={setQuery}
      filter={(_query, all) => all}
      shortcut={null}
      attributes={{ content: { 'aria-label': t('common:search') } }}
      nothingFound={t(isLooking ? 'common:loading' : 'nothing')}
      highlightQuery
      scrollable
      maxHeight={420}
      // Without the blur of a page behind, which every picture would be made with: a letter waits for several.
      overlayProps={{ backgroundOpacity: 0.45 }}
      transitionProps={{ duration: 0 }}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: t('ask'),
        'aria-label': t('ask'),
        onKeyDown: ({ key }) => {
          // What is found later than the letters are typed is not chosen by itself.
          if (key === 'Enter' && !document.querySelector('[data-action][data-selected]'))
            document.querySelector<HTMLElement>('[data-action]')?.click();
        },
      }}
    />
  );
}
