import {
  ActionIcon,
  Button,
  Fieldset,
  Group,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { LimitFields } from '../limits/LimitFields.tsx';
import { entriesAfter, findEntry } from './changes.ts';
import { decide } from './use-decision.ts';
import type { EntryFormProps } from './entry-form.ts';
import { groupFaults, toGroupForm, type GroupFormValues, toGroup } from './group-form.ts';

export function GroupForm({ live, changes, taken, name, onSave, frame }: EntryFormProps) {
  const { t } = useTranslation(['catalogue', 'catalogue-form']);
  const models = entriesAfter(live.catalogue, changes, 'models').map((model) => model.name);
  const group = entriesAfter(live.catalogue, changes, 'groups').find((each) => each.name === name);
  const form = useForm<GroupFormValues>({
    initialValues: toGroupForm(group),
    validate: (values) =>
      Object.fromEntries(
        Object.entries(groupFaults(values, taken)).map(([path, fault]) => [
          path,
          t(`faults.${fault}`, { ns: 'catalogue-form' }),
        ]),
      ),
  });
  const { values } = form;
  return frame(
    form.onSubmit((stated) => onSave({ op: 'put', section: 'groups', entry: toGroup(stated) })),
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label={t('fields.name')}
          required
          disabled={group !== undefined}
          maxLength={128}
          {...form.getInputProps('name')}
        />
        <TextInput
          label={t('fields.ratio')}
          description={t('ratioMeans', { ns: 'catalogue-form' })}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          required
          leftSection="×"
          inputMode="decimal"
          {...form.getInputProps('ratio')}
        />
      </SimpleGrid>
      <Textarea
        label={t('fields.description')}
        autosize
        minRows={1}
        maxLength={500}
        {...form.getInputProps('description')}
      />
      <Fieldset legend={t('modelsOfGroup', { ns: 'catalogue-form' })}>
        <Stack gap="sm">
          <Switch label={t('everyModel')} {...form.getInputProps('everyModel', { type: 'checkbox' })} />
          {!values.everyModel && (
            <MultiSelect
              label={t('columns.models')}
              data={models}
              searchable
              {...form.getInputProps('models')}
              value={[...values.models]}
            />
          )}
        </Stack>
      </Fieldset>
      <Fieldset legend={t('columns.fallbacks')}>
        <Stack gap="sm">
          <Text size="xs" c="dimmed">
            {t('fallbackMeans', { ns: 'catalogue-form' })}
          </Text>
          {values.fallbacks.map(({ fallbackModels }, index) => (
            <Group key={index} gap="xs" align="flex-end" wrap="nowrap">
              <Select
                flex="1 1 8rem"
                label={t('insteadOf', { ns: 'catalogue-form' })}
                data={models}
                searchable
                {...form.getInputProps(`fallbacks.${index}.model`)}
              />
              <MultiSelect
                flex="2 1 10rem"
                label={t('fallbackModels', { ns: 'catalogue-form' })}
                data={models}
                searchable
                {...form.getInputProps(`fallbacks.${index}.fallbackModels`)}
                value={[...fallbackModels]}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={t('removeFallback', { ns: 'catalogue-form', number: index + 1 })}
                onClick={() => form.removeListItem('fallbacks', index)}
              >
                <IconTrash size={17} />
              </ActionIcon>
            </Group>
          ))}
          <Button
            variant="default"
            size="compact-sm"
            w="fit-content"
            leftSection={<IconPlus size={15} />}
            onClick={() => form.insertListItem('fallbacks', { model: '', fallbackModels: [] })}
          >
            {t('addFallback', { ns: 'catalogue-form' })}
          </Button>
        </Stack>
      </Fieldset>
      <Fieldset legend={t('limits.ofGroup')}>
        <LimitFields input={(limit) => form.getInputProps(`limits.${limit}`)} />
      </Fieldset>
      <TagsInput
        label={t('fields.required_tags')}
        description={t('tagsMean', { ns: 'catalogue-form' })}
        {...form.getInputProps('tags')}
        value={[...values.tags]}
      />
    </>,
    (choice, now) => {
      const theirs = findEntry(now, 'groups', name);
      decide(form, choice, theirs && toGroupForm(theirs), group === undefined);
    },
  );
}
