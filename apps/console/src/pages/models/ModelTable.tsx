import { Badge, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import type { TokenKind } from '@tollgate/vocabulary';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { PricedModel } from '../../api/pricing.ts';
import { Copy } from '../../shared/Copy.tsx';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { priceTimes } from '../../shared/format.ts';
import { ModelName } from '../../shared/ModelName.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { useMeterKindName } from '../../shared/use-meter-kind-name.ts';
import { useOperationName } from '../../shared/use-operation-name.ts';
import { usePriceText } from '../../shared/use-price-text.ts';
import classes from './Models.module.css';
import { shownUnits } from './price-rows.ts';

interface ModelTableProps {
  readonly models: readonly PricedModel[];
  /** The share of the list price that is paid. */
  readonly ratio: string;
  readonly onOpen: (model: string) => void;
}

/** Models with their prices per million tokens. */
export function ModelTable({ models, ratio, onOpen }: ModelTableProps) {
  const { t } = useTranslation('models');
  const format = useFormat();
  const kindName = useMeterKindName();
  const columns = useMemo((): readonly Column<PricedModel>[] => {
    const price = (kind: TokenKind): Column<PricedModel> => ({
      id: kind,
      header: kindName(kind),
      align: 'end',
      sortBy: ({ prices }) => prices[kind] ?? 0,
      amount: ({ prices }) => format.exactMoney(priceTimes(prices[kind] ?? 0, ratio)),
      cell: ({ prices }) => (
        <span className="tg-number">{format.exactMoney(priceTimes(prices[kind] ?? 0, ratio))}</span>
      ),
    });
    return [
      {
        id: 'model',
        header: t('model'),
        card: 'title',
        sortBy: ({ model_name }) => model_name,
        cell: (model) => <Name model={model} ratio={ratio} onOpen={onOpen} />,
      },
      price('input'),
      price('cache_read'),
      price('output'),
      {
        id: 'context',
        header: t('context'),
        align: 'end',
        sortBy: ({ context_window }) => context_window ?? 0,
        cell: ({ context_window }) => (
          <span className="tg-number">
            {context_window === null ? '–' : format.shortCount(context_window)}
          </span>
        ),
      },
      {
        id: 'endpoints',
        header: t('endpoints'),
        cell: ({ supported_endpoint_types: types }) => (
          <Group gap={4} className={classes.endpoints}>
            {types.length === 0 && <Text size="sm">{t('notServed')}</Text>}
            {types.map((type) => (
              <Badge key={type} variant="default" size="sm" radius="sm" tt="none" fw={500}>
                {t(`endpointTypes.${type as 'openai'}`, { defaultValue: type })}
              </Badge>
            ))}
          </Group>
        ),
      },
    ];
  }, [t, format, kindName, ratio, onOpen]);
  return (
    <DataTable
      id="models"
      label={t('title')}
      columns={columns}
      rows={models}
      rowId={({ model_name }) => model_name}
    />
  );
}

interface NameProps extends Pick<ModelTableProps, 'ratio' | 'onOpen'> {
  readonly model: PricedModel;
}

function Name({ model, ratio, onOpen }: NameProps) {
  const { t } = useTranslation('models');
  const format = useFormat();
  const kindName = useMeterKindName();
  const priceText = usePriceText();
  const operationName = useOperationName();
  const units = shownUnits(model);
  const tasks = model.operations.filter((operation) => operation !== 'generate');
  return (
    <Stack gap={1}>
      <Group gap={2} wrap="nowrap">
        <UnstyledButton className={classes.name} onClick={() => onOpen(model.model_name)}>
          <ModelName name={model.model_name} />
        </UnstyledButton>
        <Copy text={model.model_name} what={model.model_name} />
      </Group>
      {tasks.length > 0 && (
        <Group gap={4}>
          {tasks.map((task) => (
            <Badge key={task} variant="light" size="sm" radius="sm" tt="none" fw={500}>
              {operationName(task)}
            </Badge>
          ))}
        </Group>
      )}
      <Text size="xs" c="dimmed">
        {model.owner_by}
        {model.description !== '' && ` · ${model.description}`}
      </Text>
      {model.request_price > 0 && (
        <Text size="xs" c="dimmed">
          {t('perRequest', { price: format.exactMoney(priceTimes(model.request_price, ratio)) })}
        </Text>
      )}
      {units.length > 0 && (
        <Text size="xs" c="dimmed">
          {units
            .map((kind) => `${kindName(kind)} ${priceText(kind, model.unit_prices[kind] ?? 0, ratio)}`)
            .join(', ')}
        </Text>
      )}
      {model.tiers.map((tier) => (
        <Text key={tier.above_input_tokens} size="xs" c="dimmed">
          {t('tier', { tokens: format.count(tier.above_input_tokens) })}
        </Text>
      ))}
    </Stack>
  );
}
