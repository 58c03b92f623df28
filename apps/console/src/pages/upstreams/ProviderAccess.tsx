import { Anchor, Button, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Provider } from '../../api/providers.ts';
import type { ProviderForm } from './provider-form.ts';
import { PasswordField } from '../../shared/PasswordField.tsx';

interface ProviderAccessProps {
  readonly provider: Provider;
  readonly form: ProviderForm;
  readonly onChange: (values: Partial<ProviderForm>) => void;
}

/** The credential, and what the provider asks for beside it. */
export function ProviderAccess({ provider, form, onChange }: ProviderAccessProps) {
  const { t } = useTranslation('upstreams');
  const way = provider.ways.find(({ name }) => name === form.way);
  return (
    <Stack gap="sm">
      {provider.note && <Text size="sm">{provider.note}</Text>}
      {provider.ways.length > 1 && (
        <Select
          label={t('provider.way')}
          allowDeselect={false}
          data={provider.ways.map(({ name, title }) => ({ value: name, label: title }))}
          value={form.way}
          onChange={(value) => onChange({ way: value ?? '', secret: '' })}
        />
      )}
      {[...provider.fields, ...(way?.fields ?? [])].map(({ name, title, example }) => (
        <TextInput
          key={name}
          label={title}
          placeholder={example}
          value={form.fields[name] ?? ''}
          onChange={({ currentTarget: { value } }) => onChange({ fields: { ...form.fields, [name]: value } })}
        />
      ))}
      {way?.needs_secret !== false && (
        <PasswordField
          label={way?.title ?? t('secret')}
          placeholder={way?.hint ?? ''}
          description={
            provider.key_page && (
              <Anchor href={provider.key_page} target="_blank" rel="noreferrer" size="xs">
                {t('provider.keyPage', { title: provider.title })}
              </Anchor>
            )
          }
          autoComplete="off"
          maxLength={16_384}
          value={form.secret}
          onChange={({ currentTarget: { value } }) => onChange({ secret: value })}
          visibilityToggleButtonProps={{ 'aria-label': t('showSecret') }}
        />
      )}
      <MoreFields provider={provider} form={form} onChange={onChange} />
    </Stack>
  );
}

/** What hardly anybody changes, behind a button. */
function MoreFields({ provider, form, onChange }: ProviderAccessProps) {
  const { t } = useTranslation('upstreams');
  const [isOpen, open] = useState(false);
  if (!isOpen)
    return (
      <Button
        variant="subtle"
        size="compact-sm"
        w="fit-content"
        leftSection={<IconChevronDown size={15} />}
        onClick={() => open(true)}
      >
        {t('provider.more')}
      </Button>
    );
  return (
    <>
      <TextInput
        label={t('form.name')}
        maxLength={128}
        value={form.name}
        onChange={({ currentTarget: { value } }) => onChange({ name: value })}
      />
      <TextInput
        label={t('provider.otherAddress')}
        placeholder={provider.base_url}
        value={form.baseUrl}
        onChange={({ currentTarget: { value } }) => onChange({ baseUrl: value })}
      />
      <Switch
        label={t('form.allowPrivate')}
        description={t('form.allowPrivateMeans')}
        checked={form.allowPrivate}
        onChange={({ currentTarget: { checked } }) => onChange({ allowPrivate: checked })}
      />
    </>
  );
}
