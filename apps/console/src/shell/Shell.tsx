import { ActionIcon, Burger, Button, Kbd, UnstyledButton } from '@mantine/core';
import { useDisclosure, useHotkeys, useMediaQuery } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { createLazyRoute, Link, Outlet, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountQuery } from '../api/account.ts';
import { FailedLookups } from '../shared/FailedLookups.tsx';
import { browserZone } from '../shared/zone-name.ts';
import { ZoneProvider } from '../shared/use-zone.ts';
import { AccountMenu } from './AccountMenu.tsx';
import { Logo } from './Logo.tsx';
import { PlaceIcon } from './PlaceIcon.tsx';
import classes from './Shell.module.css';
import { useSections } from './use-sections.ts';
import { useLookup } from '../shared/use-lookup.ts';

const Bell = lazy(() => import('./Bell.tsx'));
const FundsBanner = lazy(() => import('./FundsBanner.tsx'));
const Palette = lazy(() => import('./Palette.tsx'));

/** Where the top bar stands in place of the side. */
const NARROW = '(max-width: 61.99em)';

export const shell = createLazyRoute('/shell')({ component: Shell });

/** Navigation at the side, the page beside it; the palette is loaded when it is first called. */
function Shell() {
  const { t } = useTranslation();
  const { session } = useSections();
  const [isOpen, menu] = useDisclosure(false);
  const [calls, setCalls] = useState(0);
  const path = useLocation({ select: ({ pathname }) => pathname });
  useEffect(() => menu.close(), [path, menu.close]);
  const call = () => setCalls((before) => before + 1);
  useHotkeys([['mod+K', call]], []);
  const isNarrow = useMediaQuery(NARROW) ?? false;
  const bell = <Suspense>{session && <Bell />}</Suspense>;

  return (
    <ZoneProvider value={session?.time_zone ?? browserZone()}>
      <div className={classes.shell}>
        <a href="#page" className="tg-skip">
          {t('skip')}
        </a>
        <section className={classes.header} aria-label={t('bar')}>
          <Burger
            opened={isOpen}
            onClick={menu.toggle}
            size="sm"
            aria-label={t('menu')}
            aria-expanded={isOpen}
          />
          <Link to="/" className={classes.home}>
            <Logo />
          </Link>
          <div className={classes.barEnd}>
            {isNarrow && bell}
            <ActionIcon variant="subtle" color="gray" size="lg" onClick={call} aria-label={t('search')}>
              <IconSearch size={18} />
            </ActionIcon>
          </div>
        </section>
        <aside className={classes.side} data-open={isOpen}>
          <div className={classes.top}>
            <Link to="/" className={classes.home}>
              <Logo />
            </Link>
            {!isNarrow && bell}
          </div>
          <UnstyledButton className={classes.search} onClick={call}>
            <IconSearch size={15} />
            <span>{t('search')}</span>
            <Kbd size="xs">{t('searchKeys')}</Kbd>
          </UnstyledButton>
          <Places />
          <Foot />
        </aside>
        <main className={classes.main} id="page" tabIndex={-1}>
          {session && <Funds accountId={session.account_id} />}
          <FailedLookups />
          <Outlet />
        </main>
        {calls > 0 && (
          <Suspense>
            <Palette calls={calls} />
          </Suspense>
        )}
      </div>
    </ZoneProvider>
  );
}

/** An account without a limit cannot run out: it does not load what would tell. */
function Funds({ accountId }: { readonly accountId: string }) {
  const account = useLookup(accountQuery(accountId)).data;
  if (!account || (account.mode === 'postpaid' && account.credit_limit_usd === null)) return null;
  return (
    <Suspense>
      <FundsBanner accountId={accountId} />
    </Suspense>
  );
}

function Places() {
  const { t } = useTranslation();
  const { sections } = useSections();
  const nav = useRef<HTMLElement>(null);
  // The place where one begins may be further down than the navigation shows.
  useEffect(() => {
    const here = nav.current?.querySelector<HTMLElement>('[data-here]');
    if (here && nav.current)
      nav.current.scrollTop = here.offsetTop - nav.current.offsetTop - nav.current.clientHeight + 96;
  }, []);
  return (
    <nav ref={nav} className={classes.places} aria-label={t('navigation')}>
      {sections.map(({ name, places }, index) => (
        <div key={name} className={classes.section}>
          {index > 0 && <p className={classes.heading}>{t(`sections.${name}`)}</p>}
          {places.map(({ path: to, words }) => (
            <Link key={to} to={to} className={classes.place} activeProps={{ 'data-here': true }}>
              <PlaceIcon words={words} size={17} stroke={1.7} />
              {t(`places.${words}`)}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  );
}

function Foot() {
  const { t } = useTranslation();
  const { session } = useSections();
  const here = useLocation({ select: ({ href }) => href });
  return (
    <div className={classes.foot}>
      {!session && (
        <Button
          fullWidth
          mb="xs"
          renderRoot={(props) => <Link {...props} to="/sign-in" search={{ next: here }} />}
        >
          {t('signIn')}
        </Button>
      )}
      <AccountMenu session={session} />
    </div>
  );
}
