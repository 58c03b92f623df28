import { Badge } from '@mantine/core';
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
  const priceText = usePriceText();
  const operationName = useOperationName();
  const columns = useMemo((): readonly Column<PricedModel>[] => {
    const words = { t, format, kindName, priceText, operationName };
    const price = (kind: TokenKind): Column<PricedModel> => ({
      id: kind,
      header: kindName(kind),
      align: 'end',
      sortBy: ({ prices }) => prices[kind] ?? 0,
      amount: ({ prices }) => format.exactMoney(priceTimes(prices[kind] ?? 0, ratio)),
    });
    return [
      {
        id: 'model',
        header: t('model'),
        card: 'title',
        sortBy: ({ model_name }) => model_name,
        cell: (model) => <Name model={model} ratio={ratio} onOpen={onOpen} words={words} />,
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
          <div className={classes.endpoints}>
            {types.length === 0 && t('notServed')}
            {types.map((type) => (
              <span key={type} className={classes.endpoint}>
                {t(`endpointTypes.${type as 'openai'}`, { defaultValue: type })}
              </span>
            ))}
          </div>
        ),
      },
    ];
  }, [t, format, kindName, priceText, operationName, ratio, onOpen]);
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
  /** Those of the table: no row looks for its own. */
  readonly words: {
    readonly t: ReturnType<typeof useTranslation<'models'>>['t'];
    readonly format: ReturnType<typeof useFormat>;
    readonly kindName: ReturnType<typeof useMeterKindName>;
    readonly priceText: ReturnType<typeof usePriceText>;
    readonly operationName: ReturnType<typeof useOperationName>;
  };
}

function Name({ model, ratio, onOpen, words }: NameProps) {
  const { t, format, kindName, priceText, operationName } = words;
  const units = shownUnits(model);
  const tasks = model.operations.filter((operation) => operation !== 'generate');
  return (
    <>
      <div className={classes.line}>
        <button type="button" className={classes.name} onClick={() => onOpen(model.model_name)}>
          <ModelName name={model.model_name} />
        </button>
        <Copy text={model.model_name} what={model.model_name} />
      </div>
      {tasks.length > 0 && (
        <div className={classes.tasks}>
          {tasks.map((task) => (
            <Badge key={task} variant="light" size="sm" radius="sm" tt="none" fw={500}>
              {operationName(task)}
            </Badge>
          ))}
        </div>
      )}
      <div className="tg-note">
        {model.owner_by}
        {model.description !== '' && ` · ${model.description}`}
      </div>
      {model.request_price > 0 && (
        <div className="tg-note">
          {t('perRequest', { price: format.exactMoney(priceTimes(model.request_price, ratio)) })}
        </div>
      )}
      {units.length > 0 && (
        <div className="tg-note">
          {units
            .map((kind) => `${kindName(kind)} ${priceText(kind, model.unit_prices[kind] ?? 0, ratio)}`)
            .join(', ')}
        </div>
      )}
      {model.tiers.map((tier) => (
        <div key={tier.above_input_tokens} className="tg-note">
          {t('tier', { tokens: format.count(tier.above_input_tokens) })}
        </div>
      ))}
    </>
  );
}
