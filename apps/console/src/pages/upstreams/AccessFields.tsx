import { Button, Fieldset, Select, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { OTHER_OPERATIONS } from '@tollgate/vocabulary';
import type { Upstream } from '../../api/catalogue.ts';
import {
  AUTH_FIELDS,
  AUTH_KINDS,
  AWS_SERVICES,
  CONVERSATION_PATHS,
  isRequired,
  OPERATIONS,
  WRAPPINGS,
} from './access-form.ts';
import { useOperationName } from '../../shared/use-operation-name.ts';
import { asksForSecrets, type UpstreamForm } from './upstream-form.ts';
import { PasswordField } from '../../shared/PasswordField.tsx';

interface AccessFieldsProps {
  readonly form: UseFormReturnType<UpstreamForm>;
  readonly upstream: Upstream | undefined;
}

/** How an upstream is shown who asks, and where each operation is found there. */
export function AccessFields({ form, upstream }: AccessFieldsProps) {
  const { t } = useTranslation('upstream-form');
  const { authKind } = form.values;
  return (
    <Fieldset legend={t('access')}>
      <Stack gap="sm">
        <Select
          label={t('authKind')}
          description={t(`authMeans.${authKind}`)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          allowDeselect={false}
          data={AUTH_KINDS.map((kind) => ({ value: kind, label: t(`authKinds.${kind}`) }))}
          {...form.getInputProps('authKind')}
        />
        {authKind !== 'own' && (
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {AUTH_FIELDS[authKind].map((field) =>
              field === 'service' ? (
                <Select
                  key={field}
                  label={t('auth.service')}
                  placeholder={AWS_SERVICES[0]}
                  clearable
                  data={[...AWS_SERVICES]}
                  {...form.getInputProps('auth.service')}
                  value={form.values.auth.service === '' ? null : form.values.auth.service}
                  onChange={(value) => form.setFieldValue('auth.service', value ?? '')}
                />
              ) : (
                <TextInput
                  key={field}
                  label={t(`auth.${field}`)}
                  placeholder={t(`authSuch.${field}`)}
                  required={isRequired(field)}
                  {...form.getInputProps(`auth.${field}`)}
                />
              ),
            )}
          </SimpleGrid>
        )}
        <SecretFields form={form} upstream={upstream} />
        {form.values.protocols.includes('anthropic-messages') && (
          <Select
            label={t('wrapping')}
            description={t('wrappingMeans')}
            allowDeselect={false}
            data={WRAPPINGS.map((each) => ({
              value: each,
              label: t(`wrappings.${each}`),
            }))}
            {...form.getInputProps('wrapping')}
          />
        )}
        <PathFields form={form} />
      </Stack>
    </Fieldset>
  );
}

/** Of a new upstream its first secret; of another one only where the secrets it has would go elsewhere. */
function SecretFields({ form, upstream }: AccessFieldsProps) {
  const { t } = useTranslation(['upstream-form', 'upstreams']);
  const moves = asksForSecrets(form.values, upstream);
  if (upstream !== undefined && !moves) return null;
  return (
    <Stack gap="xs">
      {moves && <Text size="sm">{t('moved')}</Text>}
      {form.values.secrets.map((_secret, index) => (
        <PasswordField
          key={index}
          label={
            upstream
              ? t('secretOf', { name: upstream.credentials[index]?.name ?? '' })
              : t('secret', { ns: 'upstreams' })
          }
          description={t(`secretSuch.${form.values.authKind}`)}
          required={moves || form.values.authKind !== 'own'}
          autoComplete="off"
          maxLength={16_384}
          visibilityToggleButtonProps={{ 'aria-label': t('showSecret', { ns: 'upstreams' }) }}
          {...form.getInputProps(`secrets.${index}`)}
        />
      ))}
    </Stack>
  );
}

/** Addresses of operations, where they are not the format's own. */
function PathFields({ form }: Pick<AccessFieldsProps, 'form'>) {
  const { t } = useTranslation('upstream-form');
  const operationName = useOperationName();
  const names = [
    ...CONVERSATION_PATHS.map((operation) => [operation, t(`operations.${operation}`)] as const),
    ...OTHER_OPERATIONS.map((operation) => [operation, operationName(operation)] as const),
  ];
  const { paths, protocols } = form.values;
  const [isOpen, open] = useState(
    () =>
      form.values.modelLists !== '' ||
      protocols.some((protocol) => OPERATIONS.some((each) => paths[protocol][each] !== '')),
  );
  if (!isOpen)
    return (
      <Button
        variant="subtle"
        size="compact-sm"
        w="fit-content"
        ml={-8}
        leftSection={<IconChevronDown size={15} />}
        onClick={() => open(true)}
      >
        {t('otherPaths')}
      </Button>
    );
  return (
    <Stack gap="sm">
      <Text size="xs" c="dimmed">
        {t('pathsMean')}
      </Text>
      <Textarea
        label={t('modelLists')}
        description={t('modelListsMean')}
        autosize
        minRows={1}
        maxRows={4}
        {...form.getInputProps('modelLists')}
      />
      {protocols.map((protocol) => (
        <div key={protocol} role="group" aria-label={t('pathsOf', { protocol })}>
          <Text size="sm" fw={560} mb={4}>
            {t('pathsOf', { protocol })}
          </Text>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {names.map(([operation, name]) => (
              <TextInput
                key={operation}
                label={name}
                placeholder={t('ownPath')}
                {...form.getInputProps(`paths.${protocol}.${operation}`)}
              />
            ))}
          </SimpleGrid>
        </div>
      ))}
    </Stack>
  );
}
