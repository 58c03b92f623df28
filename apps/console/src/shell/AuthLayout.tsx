import { Center, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { FailedLookups } from '../shared/FailedLookups.tsx';
import { Panel } from '../shared/Panel.tsx';
import classes from './AuthLayout.module.css';
import { AuthPreferences } from './AuthPreferences.tsx';
import { Logo } from './Logo.tsx';

interface AuthLayoutProps {
  readonly title: string;
  readonly about: ReactNode;
  readonly children: ReactNode;
  /** What stands below the panel. */
  readonly below?: ReactNode;
}

/** The frame of the pages of those who are not in yet. */
export const AuthLayout = ({ title, about, children, below }: AuthLayoutProps) => (
  <Center component="main" id="page" className={classes.page}>
    <Stack gap="lg" className={classes.column}>
      <Logo />
      <Panel p={{ base: 'lg', xs: 'xl' }}>
        <Stack gap="md">
          <div>
            <Title order={1}>{title}</Title>
            <Text c="dimmed" size="sm" mt={4}>
              {about}
            </Text>
          </div>
          <FailedLookups />
          {children}
        </Stack>
      </Panel>
      {below}
      <AuthPreferences />
    </Stack>
  </Center>
);
