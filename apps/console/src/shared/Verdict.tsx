import { Progress, Stack, Text } from '@mantine/core';
import { IconShieldCheck, IconShieldX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Panel } from './Panel.tsx';
import classes from './Verdict.module.css';

interface VerdictProps {
  readonly isRight: boolean;
  readonly title: string;
  readonly children: ReactNode;
}

/** What came of reading the books again. */
export function Verdict({ isRight, title, children }: VerdictProps) {
  const Icon = isRight ? IconShieldCheck : IconShieldX;
  return (
    <Panel>
      <div className={classes.verdict} role="status" data-differs={!isRight}>
        <Icon size={26} stroke={1.7} />
        <Text fw={620}>{title}</Text>
        <Stack gap="xs">{children}</Stack>
      </div>
    </Panel>
  );
}

/** What was expected beside what is there. */
export const Values = ({ children }: { readonly children: string }) => (
  <pre className={`tg-mono ${classes.values}`}>{children}</pre>
);

interface ReadingProps {
  readonly text: string;
  /** It goes on when nobody looks. */
  readonly goesOn: string;
  readonly checked: number;
  readonly total: number;
}

/** How far the books are read. */
export const Reading = ({ text, goesOn, checked, total }: ReadingProps) => (
  <Panel>
    <Stack gap="xs" p="md" role="status">
      <Text fw={620}>{text}</Text>
      <Progress value={total === 0 ? 100 : (checked / total) * 100} animated aria-label={text} />
      <Text size="sm" c="dimmed">
        {goesOn}
      </Text>
    </Stack>
  </Panel>
);
