import { Autocomplete, Button, Drawer, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Published, Upstream } from '../../api/catalogue.ts';
import { putUpstream, type Target } from '../../api/upstreams.ts';
import { useErrorText } from '../../shared/States.tsx';
import { CredentialCard } from './CredentialCard.tsx';
import { listTestModels } from './test-models.ts';
import { usePublishing } from './use-publishing.ts';
import { toCredentialInputs, toUpstreamInput } from './upstream-input.ts';
import { PasswordField } from '../../shared/PasswordField.tsx';

interface UpstreamDrawerProps {
  readonly live: Published;
  readonly upstream: Upstream;
  readonly targets: readonly Target[];
  readonly onClose: () => void;
}

/** The credentials of an upstream and what the gateways know of each. Secrets are written, never shown. */
export default function UpstreamDrawer({ live, upstream, targets, onClose }: UpstreamDrawerProps) {
  const { t } = useTranslation(['upstreams', 'common']);
  const models = listTestModels(live.catalogue, upstream.name);
  const [testModel, setTestModel] = useState(models[0] ?? '');
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={560}
      title={t('credentialsOf', { name: upstream.name })}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'common' }) }}
    >
      <Stack gap="md">
        <Autocomplete
          label={t('provider.testModel')}
          description={t('testModelMeans')}
          data={models}
          value={testModel}
          onChange={setTestModel}
        />
        {targets.map((target) => (
          <CredentialCard
            key={target.credential}
            live={live}
            upstream={upstream}
            target={target}
            testModel={testModel}
          />
        ))}
        <NewCredential live={live} upstream={upstream} />
      </Stack>
    </Drawer>
  );
}

function NewCredential({ live, upstream }: Pick<UpstreamDrawerProps, 'live' | 'upstream'>) {
  const { t } = useTranslation('upstreams');
  const errorText = useErrorText();
  const [name, setName] = useState('');
  const [secret, setSecret] = useState('');
  const isTaken = upstream.credentials.some((credential) => credential.name === name.trim());
  const adding = usePublishing(() =>
    putUpstream(live, {
      ...toUpstreamInput(upstream),
      credentials: [
        ...toCredentialInputs(upstream),
        { name: name.trim(), secret: secret.trim(), weight: 1, limits: {} },
      ],
    }),
  );
  const add = () =>
    adding.mutate(undefined, {
      onSuccess: () => {
        setName('');
        setSecret('');
      },
    });
  return (
    <Stack gap="sm">
      <Title order={2}>{t('newCredential')}</Title>
      <Text size="sm" c="dimmed">
        {t('secretMeans')}
      </Text>
      <Group align="flex-start" gap="sm">
        <TextInput
          flex="1 1 9rem"
          label={t('credentialName')}
          maxLength={128}
          value={name}
          error={isTaken ? t('taken') : undefined}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <PasswordField
          flex="2 1 12rem"
          label={t('secret')}
          autoComplete="off"
          maxLength={4_096}
          value={secret}
          onChange={({ currentTarget }) => setSecret(currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': t('showSecret') }}
        />
      </Group>
      {adding.error && (
        <Text role="alert" size="sm" c="var(--mantine-color-error)">
          {errorText(adding.error)}
        </Text>
      )}
      <Button
        w="fit-content"
        leftSection={<IconPlus size={16} />}
        disabled={name.trim() === '' || secret.trim() === '' || isTaken}
        loading={adding.isPending}
        onClick={add}
      >
        {t('addCredential')}
      </Button>
    </Stack>
  );
}
