import { Button, Group, List, Text, ThemeIcon, Title } from '@mantine/core';
import { IconCheck, IconCircleDashed } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Panel } from '../../shared/Panel.tsx';
import type { FirstSteps as Steps } from './first-steps.ts';

/** What an operator of a new deployment does, one after the other. */
export default function FirstSteps({ steps }: { readonly steps: Steps }) {
  const { t } = useTranslation('overview');
  const { provider, model } = steps;
  return (
    <Panel p={{ base: 'md', xs: 'lg' }}>
      <Title order={2}>{t('first.title')}</Title>
      <Text c="dimmed" size="sm" mt={4} mb="md">
        {t('first.about')}
      </Text>
      <List spacing="sm" center listStyleType="none">
        <Step isDone={provider} text={t('first.provider')}>
          <Button
            size="compact-sm"
            renderRoot={(props) => <Link {...props} to="/upstreams" search={{ add: 'provider' }} />}
          >
            {t('first.addProvider')}
          </Button>
        </Step>
        <Step isDone={model !== undefined} text={t('first.model')}>
          {provider && (
            <Button size="compact-sm" renderRoot={(props) => <Link {...props} to="/catalogue" />}>
              {t('first.openCatalogue')}
            </Button>
          )}
        </Step>
        <Step isDone={false} text={t('first.answer')}>
          {model !== undefined && (
            <Button
              size="compact-sm"
              renderRoot={(props) => <Link {...props} to="/playground" search={{ model }} />}
            >
              {t('first.ask', { model })}
            </Button>
          )}
        </Step>
      </List>
    </Panel>
  );
}

interface StepProps {
  readonly isDone: boolean;
  readonly text: string;
  readonly children: ReactNode;
}

function Step({ isDone, text, children }: StepProps) {
  const { t } = useTranslation('overview');
  return (
    <List.Item
      icon={
        <ThemeIcon
          size={24}
          radius="xl"
          variant="light"
          color={isDone ? 'green' : 'gray'}
          role="img"
          aria-label={t(isDone ? 'first.done' : 'first.todo')}
        >
          {isDone ? <IconCheck size={15} /> : <IconCircleDashed size={15} />}
        </ThemeIcon>
      }
    >
      <Group gap="sm">
        <Text size="sm" c={isDone ? 'dimmed' : undefined}>
          {text}
        </Text>
        {!isDone && children}
      </Group>
    </List.Item>
  );
}
