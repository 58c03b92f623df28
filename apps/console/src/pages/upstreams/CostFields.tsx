import { ActionIcon, Button, Fieldset, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconChevronDown, IconChevronUp, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Model } from '../../api/catalogue.ts';
import { useFormat } from '../../shared/use-format.ts';
import { BesidePriceFields, priceListPart, TokenPriceFields } from '../catalogue/PriceListFields.tsx';
import { type CostForm, startCost } from './cost-form.ts';
import type { UpstreamForm } from './upstream-form.ts';
import classes from './Upstreams.module.css';

interface CostFieldsProps {
  readonly form: UseFormReturnType<UpstreamForm>;
  readonly models: readonly Model[];
}

/** What an upstream charges: by model, as a share of the list price for all others, or as it says itself. */
export function CostFields({ form, models }: CostFieldsProps) {
  const { t } = useTranslation(['upstream-form', 'upstreams']);
  const { costs } = form.values;
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const stated = new Set(costs.map(({ model }) => model));
  const add = (names: readonly string[]) => {
    for (const model of models.filter(({ name }) => names.includes(name)))
      form.insertListItem('costs', startCost(model));
    setOpened(new Set([...opened, ...names]));
  };
  const toggle = (model: string) => setOpened(opened.symmetricDifference(new Set([model])));
  // What draws or listens for a model is billed by the upstream too, on a line of its own.
  const second = models
    .filter(({ name }) => stated.has(name))
    .flatMap(({ image_models = [] }) => image_models)
    .filter((name, index, all) => !stated.has(name) && all.indexOf(name) === index);
  return (
    <Fieldset legend={t('costs')}>
      <Stack gap="sm">
        <Text size="xs" c="dimmed">
          {t('costsMean')}
        </Text>
        {costs.map((cost, index) => (
          <Cost
            key={cost.model}
            form={form}
            cost={cost}
            index={index}
            isOpen={
              opened.has(cost.model) ||
              Object.keys(form.errors).some((path) => path.startsWith(`costs.${index}.`))
            }
            onToggle={() => toggle(cost.model)}
          />
        ))}
        {second.length > 0 && (
          <Group gap="xs">
            <Text size="sm">{t('secondModels', { models: second.join(', ') })}</Text>
            <Button variant="default" size="compact-sm" onClick={() => add(second)}>
              {t('addSecond')}
            </Button>
          </Group>
        )}
        <Select
          label={t('addCost')}
          placeholder={t('addCostSuch')}
          searchable
          data={models.map(({ name }) => name).filter((name) => !stated.has(name))}
          value={null}
          onChange={(name) => name !== null && add([name])}
        />
        <OtherCosts form={form} />
      </Stack>
    </Fieldset>
  );
}

/** What holds for models whose costs are not stated. */
function OtherCosts({ form }: Pick<CostFieldsProps, 'form'>) {
  const { t } = useTranslation(['upstream-form', 'upstreams']);
  return (
    <>
      <TextInput
        maw={{ xs: 320 }}
        label={t(form.values.costs.length === 0 ? 'costRatio' : 'otherCostRatio')}
        placeholder={t('form.unknown', { ns: 'upstreams' })}
        leftSection="×"
        inputMode="decimal"
        {...form.getInputProps('costRatio')}
      />
      <Switch
        label={t('reportsCost')}
        description={t('reportsCostMeans')}
        {...form.getInputProps('reportsCost', { type: 'checkbox' })}
      />
    </>
  );
}

interface CostProps {
  readonly form: CostFieldsProps['form'];
  readonly cost: CostForm;
  readonly index: number;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function Cost({ form, cost, index, isOpen, onToggle }: CostProps) {
  const { t } = useTranslation('upstream-form');
  const format = useFormat();
  const { model, prices } = cost;
  const toMoney = (text: string) => (/^\d+(\.\d+)?$/.test(text) ? format.exactMoney(text) : '–');
  const part = { form: priceListPart(form, `costs.${index}.`), values: cost };
  return (
    <section className={classes.cost} aria-label={t('costOf', { model })}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={560} className="tg-mono">
          {model}
        </Text>
        <Group gap={4} ml="auto">
          <Text size="sm" c="dimmed">
            {t('costLine', { input: toMoney(prices.input), output: toMoney(prices.output) })}
          </Text>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-expanded={isOpen}
            aria-label={t('editCost', { model })}
            onClick={onToggle}
          >
            {isOpen ? <IconChevronUp size={17} /> : <IconChevronDown size={17} />}
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('removeCost', { model })}
            onClick={() => form.removeListItem('costs', index)}
          >
            <IconTrash size={17} />
          </ActionIcon>
        </Group>
      </Group>
      {isOpen && (
        <Stack gap="sm" mt="sm">
          <TokenPriceFields {...part} />
          <BesidePriceFields {...part} />
        </Stack>
      )}
    </section>
  );
}
