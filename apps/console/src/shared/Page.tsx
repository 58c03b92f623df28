import { Box, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { zoneName } from './zone-name.ts';
import classes from './Page.module.css';
import { useZone } from './use-zone.ts';

interface PageProps {
  readonly title: string;
  readonly about?: ReactNode;
  /** The way back to what this is one of. */
  readonly back?: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of every page: its title, what it is for, by whose clock its times are, what can be done, and the rest. */
export function Page({ title, about, back, actions, children }: PageProps) {
  const { t, i18n } = useTranslation();
  const zone = useZone();
  return (
    <Stack gap="lg" className={classes.page}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box className={classes.words}>
          {back}
          <Title order={1}>{title}</Title>
          {about !== undefined && (
            <Text c="dimmed" mt={4} className={classes.about}>
              {about}
            </Text>
          )}
          <Text c="dimmed" size="xs" mt={4}>
            {t('clock.zone', { zone: zoneName(zone, i18n.language) })}
          </Text>
        </Box>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}
