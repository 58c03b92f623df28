import {
  ActionIcon,
  Button,
  Fieldset,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Pool, Published } from '../../api/catalogue.ts';
import { putPool } from '../../api/upstreams.ts';
import { type Choice, decide } from '../catalogue/use-decision.ts';
import { DialogFrame } from './DialogFrame.tsx';
import { newMember, poolFaults, type PoolForm, toPoolForm, toPool, STRATEGIES } from './pool-form.ts';
import { usePublishing, useSeen } from './use-publishing.ts';

interface PoolDialogProps {
  readonly live: Published;
  /** "+" is a new one. */
  readonly name: string;
  readonly onClose: () => void;
}

const NUMBER = { allowDecimal: false, allowNegative: false, hideControls: true };

export default function PoolDialog({ live: newest, name, onClose }: PoolDialogProps) {
  const [live, see] = useSeen(newest);
  const { t } = useTranslation('upstreams');
  const { pools, models, groups, upstreams } = live.catalogue;
  const findPool = ({ catalogue }: Published) => catalogue.pools.find((each) => each.name === name);
  const pool = findPool(live);
  const taken = new Set(pool ? [] : pools.map((each) => each.name));
  const form = useForm<PoolForm>({
    initialValues: toPoolForm(pool, upstreams[0]?.name ?? ''),
    validate: (values) =>
      Object.fromEntries(
        Object.entries(poolFaults(values, taken)).map(([path, fault]) => [path, t(`faults.${fault}`)]),
      ),
  });
  const publishing = usePublishing(({ input, before }: { input: Pool; before: string | undefined }) =>
    putPool(live, input, before),
  );
  const decideOn = (choice: Choice, now: Published) => {
    publishing.reset();
    see(now);
    const theirs = findPool(now);
    if (!theirs && choice === 'theirs') return onClose();
    decide(form, choice, theirs && toPoolForm(theirs, ''), pool === undefined);
  };
  const choice = (
    every: 'everyModel' | 'everyGroup',
    some: 'models' | 'groups',
    names: readonly string[],
  ) => (
    <Stack gap="xs">
      <Switch label={t(every)} {...form.getInputProps(every, { type: 'checkbox' })} />
      {!form.values[every] && (
        <MultiSelect
          label={t(`form.${some}`)}
          searchable
          data={[...names]}
          {...form.getInputProps(some)}
          value={[...form.values[some]]}
        />
      )}
    </Stack>
  );
  return (
    <DialogFrame
      title={pool ? t('editing.pool', { name }) : t('addPool')}
      error={publishing.error}
      isPending={publishing.isPending}
      onDecide={decideOn}
      onClose={onClose}
      onSubmit={form.onSubmit((values) =>
        publishing.mutate(
          { input: toPool(values), before: values.before ?? undefined },
          { onSuccess: onClose },
        ),
      )}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label={t('form.name')}
          required
          disabled={pool !== undefined}
          maxLength={128}
          {...form.getInputProps('name')}
        />
        <Select
          label={t('form.strategy')}
          allowDeselect={false}
          data={STRATEGIES.map((value) => ({ value, label: t(`strategies.${value}`) }))}
          {...form.getInputProps('strategy')}
        />
        {choice(
          'everyModel',
          'models',
          models.map((model) => model.name),
        )}
        {choice(
          'everyGroup',
          'groups',
          groups.map((group) => group.name),
        )}
        <NumberInput
          label={t('form.attempts')}
          min={1}
          max={10}
          {...NUMBER}
          {...form.getInputProps('attempts')}
        />
        <NumberInput
          label={t('form.retryPercent')}
          min={0}
          max={100}
          {...NUMBER}
          {...form.getInputProps('retryPercent')}
        />
      </SimpleGrid>
      {!pool && pools.length > 0 && (
        <Select
          label={t('order.before')}
          description={t('order.about')}
          placeholder={t('order.last')}
          clearable
          data={pools.map((each) => each.name)}
          {...form.getInputProps('before')}
        />
      )}
      <Switch
        label={t('hedged')}
        description={t('form.hedgeMeans')}
        {...form.getInputProps('hedge', { type: 'checkbox' })}
      />
      <Fieldset legend={t('form.members')}>
        <Stack gap="md">
          <Text size="xs" c="dimmed">
            {t('form.membersMean')}
          </Text>
          {form.values.members.map((_member, index) => (
            <Group key={index} gap="xs" align="flex-end">
              <Select
                flex="2 1 9rem"
                label={t('form.upstream')}
                allowDeselect={false}
                data={upstreams.map((upstream) => upstream.name)}
                {...form.getInputProps(`members.${index}.upstream`)}
              />
              {(['priority', 'weight'] as const).map((field) => (
                <NumberInput
                  key={field}
                  flex="1 1 4.5rem"
                  label={t(`form.${field}`)}
                  min={field === 'weight' ? 1 : 0}
                  {...NUMBER}
                  {...form.getInputProps(`members.${index}.${field}`)}
                />
              ))}
              <Textarea
                flex="3 1 12rem"
                label={t('form.modelMap')}
                placeholder={t('form.modelMapSuch')}
                autosize
                minRows={1}
                maxRows={6}
                {...form.getInputProps(`members.${index}.modelMap`)}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                disabled={form.values.members.length === 1}
                aria-label={t('form.removeMember', { number: index + 1 })}
                onClick={() => form.removeListItem('members', index)}
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
            onClick={() => form.insertListItem('members', newMember(upstreams[0]?.name ?? ''))}
          >
            {t('form.addMember')}
          </Button>
        </Stack>
      </Fieldset>
    </DialogFrame>
  );
}
