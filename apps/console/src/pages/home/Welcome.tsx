import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { pricesQuery } from '../../api/pricing.ts';
import { CodeBlock } from '../../shared/CodeBlock.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { useLookup } from '../../shared/use-lookup.ts';
import classes from './Home.module.css';

/** What somebody does first: make a key and send a request with it. */
export default function Welcome() {
  const { t } = useTranslation('home');
  const models = useLookup(pricesQuery).data?.data.filter(({ operations }) =>
    operations.includes('generate'),
  );
  const model = models?.find(({ enable_groups }) => enable_groups.includes('default')) ?? models?.[0];
  const command = `export TOLLGATE_KEY=sk-...

curl ${window.location.origin}/v1/chat/completions \\
  -H "Authorization: Bearer $TOLLGATE_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"${model?.model_name ?? 'MODEL'}","messages":[{"role":"user","content":"Hello"}]}'`;
  return (
    <Panel p={{ base: 'lg', xs: 'xl' }} className={classes.welcome}>
      <Stack gap="lg">
        <div>
          <Title order={2}>{t('welcome.title')}</Title>
          <Text c="dimmed" mt={4}>
            {t('welcome.about')}
          </Text>
        </div>
        <Group>
          <Button
            leftSection={<IconPlus size={16} />}
            renderRoot={(props) => <Link {...props} to="/keys" search={{ create: true }} />}
          >
            {t('welcome.makeKey')}
          </Button>
          <Button variant="default" renderRoot={(props) => <Link {...props} to="/models" />}>
            {t('welcome.models')}
          </Button>
        </Group>
        <div>
          <Text size="sm" mb={6}>
            {t('welcome.then')}
          </Text>
          <CodeBlock code={command} what={t('welcome.command')} />
        </div>
      </Stack>
    </Panel>
  );
}
