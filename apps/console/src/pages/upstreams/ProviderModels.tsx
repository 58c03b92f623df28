import { Anchor, Checkbox, Group, ScrollArea, Stack, Table, Text, TextInput } from '@mantine/core';
import { findOwn, UNIT_KINDS } from '@tollgate/vocabulary';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Provider } from '../../api/providers.ts';
import { useMeterKindName } from '../../shared/use-meter-kind-name.ts';
import { usePriceText } from '../../shared/use-price-text.ts';
import { toUsd } from '../catalogue/prices.ts';
import type { OfferedModel, PriceForm } from './provider-form.ts';

const MAX_ROWS = 100;

interface ProviderModelsProps {
  readonly provider: Provider;
  readonly offered: readonly OfferedModel[];
  readonly picked: readonly string[];
  readonly prices: Readonly<Record<string, PriceForm>>;
  readonly onPick: (names: readonly string[]) => void;
  readonly onPrice: (name: string, price: PriceForm) => void;
}

/** The models that can be offered, with what they are sold at and where that figure is from. */
export function ProviderModels({ provider, offered, picked, prices, onPick, onPrice }: ProviderModelsProps) {
  const { t } = useTranslation('upstreams');
  const [find, setFind] = useState('');
  const found = offered.filter(({ name }) => name.toLowerCase().includes(find.trim().toLowerCase()));
  const toggle = (name: string, isPicked: boolean) =>
    onPick(isPicked ? [...picked, name] : picked.filter((each) => each !== name));
  return (
    <Stack gap="xs">
      <Group justify="space-between" align="flex-end">
        <Text fw={600} size="sm">
          {t('provider.models', { count: picked.length })}
        </Text>
        <TextInput
          size="xs"
          aria-label={t('provider.find')}
          placeholder={t('provider.find')}
          value={find}
          onChange={({ currentTarget: { value } }) => setFind(value)}
        />
      </Group>
      <Sources provider={provider} />
      <ScrollArea.Autosize mah={320}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('provider.model')}</Table.Th>
              <Table.Th>{t('provider.input')}</Table.Th>
              <Table.Th>{t('provider.output')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {found.slice(0, MAX_ROWS).map((model) => (
              <Row
                key={model.name}
                model={model}
                isPicked={picked.includes(model.name)}
                price={findOwn(prices, model.name) ?? { input: '', output: '' }}
                onToggle={(isPicked) => toggle(model.name, isPicked)}
                onPrice={(price) => onPrice(model.name, price)}
              />
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      {found.length > MAX_ROWS && (
        <Text size="xs">{t('provider.moreModels', { count: found.length - MAX_ROWS })}</Text>
      )}
    </Stack>
  );
}

/** Whoever signs for the prices reads where each was read, on which day, and where the provider says them itself. */
function Sources({ provider }: { readonly provider: Provider }) {
  const { t } = useTranslation('upstreams');
  const sources = new Map(provider.models.map(({ source }) => [source.url, source]));
  if (sources.size === 0) return <Text size="sm">{t('provider.noPrices')}</Text>;
  return (
    <Text size="sm">
      {t('provider.listPrices', { title: provider.title })}{' '}
      {[...sources.values()].map(({ url, date }) => (
        <Anchor key={url} href={url} target="_blank" rel="noreferrer" size="sm" mr="xs">
          {t('provider.readOn', { date })}
        </Anchor>
      ))}
      {provider.price_page && (
        <Anchor href={provider.price_page} target="_blank" rel="noreferrer" size="sm">
          {t('provider.pricePage', { title: provider.title })}
        </Anchor>
      )}
    </Text>
  );
}

interface RowProps {
  readonly model: OfferedModel;
  readonly isPicked: boolean;
  readonly price: PriceForm;
  readonly onToggle: (isPicked: boolean) => void;
  readonly onPrice: (price: PriceForm) => void;
}

function Row({ model: { name, listed }, isPicked, price, onToggle, onPrice }: RowProps) {
  const { t } = useTranslation('upstreams');
  const kindName = useMeterKindName();
  const priceText = usePriceText();
  const units = UNIT_KINDS.flatMap((kind) => {
    const unitPrice = listed?.unit_prices?.[kind];
    return unitPrice === undefined ? [] : [`${kindName(kind)} ${priceText(kind, unitPrice)}`];
  });
  return (
    <Table.Tr>
      <Table.Td>
        <Checkbox
          label={name}
          checked={isPicked}
          onChange={({ currentTarget: { checked } }) => onToggle(checked)}
          description={units.length > 0 ? units.join(', ') : undefined}
        />
      </Table.Td>
      {(['input', 'output'] as const).map((side) => (
        <Table.Td key={side}>
          {listed ? (
            `$${toUsd(listed.prices[side] ?? 0)}${listed.has_tiers ? t('provider.longer') : ''}`
          ) : (
            <TextInput
              size="xs"
              leftSection="$"
              inputMode="decimal"
              aria-label={t(`provider.${side}Of`, { name })}
              placeholder={t('provider.priceNeeded')}
              value={price[side]}
              onChange={({ currentTarget: { value } }) => onPrice({ ...price, [side]: value })}
            />
          )}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
