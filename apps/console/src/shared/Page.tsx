import { Box, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Page.module.css';

interface PageProps {
  readonly title: string;
  readonly about?: ReactNode;
  /** The way back to what this is one of. */
  readonly back?: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of every page: its title, what it is for, what can be done, and the rest. */
export function Page({ title, about, back, actions, children }: PageProps) {
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
        </Box>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}
