import { Text, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import {
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSelector,
  IconSettings2,
  IconSun,
  IconTicket,
} from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SignedIn } from '../api/session.ts';
import { speak } from '../i18n/i18n.ts';
import { type Language, LANGUAGES } from '../i18n/languages.ts';
import { ActionsMenu } from '../shared/ActionsMenu.tsx';
import { THEMES } from './preferences.ts';
import classes from './Shell.module.css';
import { useSignOut } from './use-sign-out.ts';

const THEME_ICONS = {
  auto: <IconDeviceDesktop size={16} />,
  light: <IconSun size={16} />,
  dark: <IconMoon size={16} />,
};

const RedeemDialog = lazy(() => import('../pages/redeem/RedeemDialog.tsx'));

/** Who is signed in, how the console looks and what it speaks. */
export function AccountMenu({ session }: { readonly session: SignedIn | null }) {
  const { t, i18n } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  const [isRedeeming, setRedeeming] = useState(false);
  const redeem = {
    label: t('redeem'),
    icon: <IconTicket size={16} />,
    onClick: () => setRedeeming(true),
  };
  const leave = { label: t('signOut'), icon: <IconLogout size={16} />, onClick: signOut };

  return (
    <>
      <ActionsMenu
        width={226}
        position="top-start"
        target={
          <UnstyledButton className={classes.account}>
            {session ? (
              <span className={classes.initials} aria-hidden>
                {session.email.slice(0, 2).toUpperCase()}
              </span>
            ) : (
              <IconSettings2 size={18} stroke={1.7} />
            )}
            <span className={classes.who}>
              <Text span display="block" size="sm" fw={550} truncate>
                {session?.email ?? t('preferences')}
              </Text>
              {session && (
                <Text span display="block" size="xs" c="dimmed">
                  {t(`roles.${session.role}`)}
                </Text>
              )}
            </span>
            <IconSelector size={15} />
          </UnstyledButton>
        }
        sections={() => [
          {
            title: t('theme'),
            entries: THEMES.map((name) => ({
              label: t(`themes.${name}`),
              icon: THEME_ICONS[name],
              isChosen: colorScheme === name,
              onClick: () => setColorScheme(name),
            })),
          },
          {
            title: t('language'),
            entries: Object.entries(LANGUAGES).map(([tag, label]) => ({
              label,
              lang: tag,
              isChosen: i18n.language === tag,
              onClick: () => void speak(tag as Language),
            })),
          },
          ...(session ? [{ entries: [redeem, leave] }] : []),
        ]}
      />
      {isRedeeming && (
        <Suspense>
          <RedeemDialog onClose={() => setRedeeming(false)} />
        </Suspense>
      )}
    </>
  );
}
