import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../shared/Panel.tsx';
import classes from './Settings.module.css';

interface SectionProps {
  readonly title: string;
  readonly about: string;
  readonly children: ReactNode;
}

/** One matter of the settings: what it is at the side, what can be done beside it. */
export const Section = ({ title, about, children }: SectionProps) => (
  <Panel p={{ base: 'md', xs: 'lg' }}>
    <div className={classes.section}>
      <div>
        <Title order={2}>{title}</Title>
        <Text size="sm" c="dimmed" mt={4}>
          {about}
        </Text>
      </div>
      <div>{children}</div>
    </div>
  </Panel>
);
