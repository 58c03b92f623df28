import { Button } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Nothing } from '../shared/States.tsx';

/** What is thrown with where there is such a page, for other roles than that of who looks. */
export const NOT_FOR_ROLE = 'not-for-role';

/** What stands where there is no page, or none for the role of who looks. */
export function NoSuchPage({ data }: { readonly data?: unknown }): ReactNode {
  const { t } = useTranslation();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const words = data === NOT_FOR_ROLE ? 'notForRole' : 'noSuchPage';
  return (
    <Nothing
      isPage
      icon={IconMapOff}
      title={t(`${words}.title`)}
      about={t(`${words}.about`, { path })}
      action={
        <Button component={Link} to="/" variant="default">
          {t('noSuchPage.home')}
        </Button>
      }
    />
  );
}
