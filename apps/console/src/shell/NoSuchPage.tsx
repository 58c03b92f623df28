import { Button } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Nothing } from '../shared/States.tsx';

export function NoSuchPage() {
  const { t } = useTranslation();
  const path = useLocation({ select: ({ pathname }) => pathname });
  return (
    <Nothing
      isPage
      icon={IconMapOff}
      title={t('noSuchPage.title')}
      about={t('noSuchPage.about', { path })}
      action={
        <Button component={Link} to="/" variant="default">
          {t('noSuchPage.home')}
        </Button>
      }
    />
  );
}
