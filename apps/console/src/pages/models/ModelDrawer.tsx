import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconMessageCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { findOwn } from '@tollgate/vocabulary';
import type { PriceBook, PricedModel } from '../../api/pricing.ts';
import { Copy } from '../../shared/Copy.tsx';
import { priceTimes, toRatio } from '../../shared/format.ts';
import { SideDrawer } from '../../shared/SideDrawer.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { useMeterKindName } from '../../shared/use-meter-kind-name.ts';
import { useOperationName } from '../../shared/use-operation-name.ts';
import classes from './ModelDrawer.module.css';
import { BesideTokens } from './BesideTokens.tsx';
import { PriceHistory } from './PriceHistory.tsx';
import { Part } from './Part.tsx';
import { shownKinds } from './price-rows.ts';

interface ModelDrawerProps {
  readonly model: PricedModel;
  readonly book: PriceBook;
  readonly group: string;
  readonly onClose: () => void;
}

/** Everything that is public of a model. */
export default function ModelDrawer({ model, book, group, onClose }: ModelDrawerProps) {
  const { t } = useTranslation('models');
  return (
    <SideDrawer
      of={model}
      onClose={onClose}
      title={() => <span className="tg-mono">{model.model_name}</span>}
    >
      {() => (
        <Stack gap="lg">
          <About model={model} />
          <Prices model={model} group={group} ratio={toRatio(findOwn(book.group_ratio, group) ?? 1)} />
          <BesideTokens model={model} ratio={toRatio(findOwn(book.group_ratio, group) ?? 1)} />
          <Part title={t('history.title')}>
            <PriceHistory model={model.model_name} group={group} />
          </Part>
          <Groups model={model} book={book} />
          <Endpoints model={model} book={book} />
        </Stack>
      )}
    </SideDrawer>
  );
}

function About({ model }: { readonly model: PricedModel }) {
  const { t } = useTranslation(['models', 'operations']);
  const format = useFormat();
  const operationName = useOperationName();
  const size = (tokens: number | null) => (tokens === null ? '–' : format.count(tokens));
  return (
    <div>
      <Text>{model.description === '' ? model.owner_by : model.description}</Text>
      <Group gap={6} mt="xs">
        {model.tags
          .split(',')
          .filter(Boolean)
          .map((tag) => (
            <Badge key={tag} variant="default" size="sm" radius="sm" tt="none" fw={500}>
              {tag}
            </Badge>
          ))}
      </Group>
      <dl className={classes.facts}>
        <Fact name={t('vendor')}>{model.owner_by}</Fact>
        <Fact name={t('purpose', { ns: 'operations' })}>
          {model.operations.map(operationName).join(', ')}
        </Fact>
        <Fact name={t('contextWindow')}>{size(model.context_window)}</Fact>
        <Fact name={t('maxOutput')}>{size(model.max_output_tokens)}</Fact>
      </dl>
      {model.operations.includes('generate') && (
        <Button
          mt="md"
          variant="default"
          leftSection={<IconMessageCircle size={16} />}
          renderRoot={(props) => <Link {...props} to="/playground" search={{ model: model.model_name }} />}
        >
          {t('try')}
        </Button>
      )}
    </div>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

interface PricesProps {
  readonly model: PricedModel;
  readonly group: string;
  readonly ratio: string;
}

/** A million tokens of each kind, below each bound of input where there are several. */
function Prices({ model, group, ratio }: PricesProps) {
  const { t } = useTranslation('models');
  const format = useFormat();
  const kindName = useMeterKindName();
  const lists = [{ above: null, prices: model.prices }, ...model.tiers.map(tierOf)];
  return (
    <Part title={t('million', { group })}>
      <div className={classes.wide} tabIndex={0} role="group" aria-label={t('million', { group })}>
        <table className={classes.prices}>
          <thead>
            <tr>
              <th scope="col">{t('kind')}</th>
              {lists.map(({ above }) => (
                <th key={above} scope="col">
                  {above === null
                    ? t(lists.length === 1 ? 'usd' : 'baseTier')
                    : t('aboveTier', { tokens: format.shortCount(above) })}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shownKinds(model).map((kind) => (
              <tr key={kind}>
                <th scope="row">{kindName(kind)}</th>
                {lists.map(({ above, prices }) => (
                  <td key={above}>{format.exactMoney(priceTimes(prices[kind] ?? 0, ratio))}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {model.request_price > 0 && (
        <Text size="sm" mt="xs">
          {t('perRequest', { price: format.exactMoney(priceTimes(model.request_price, ratio)) })}
        </Text>
      )}
      {model.tiers.length > 0 && (
        <Text size="xs" c="dimmed" mt="xs">
          {t('tiersMean')}
        </Text>
      )}
    </Part>
  );
}

const tierOf = ({ above_input_tokens, prices }: PricedModel['tiers'][number]) => ({
  above: above_input_tokens as number | null,
  prices,
});

function Groups({ model, book }: { readonly model: PricedModel; readonly book: PriceBook }) {
  const { t } = useTranslation('models');
  const format = useFormat();
  const kindName = useMeterKindName();
  return (
    <Part title={t('everyGroup')}>
      <table className={classes.prices}>
        <thead>
          <tr>
            <th scope="col">{t('groupName')}</th>
            <th scope="col">{t('ratio')}</th>
            <th scope="col">{kindName('input')}</th>
            <th scope="col">{kindName('output')}</th>
          </tr>
        </thead>
        <tbody>
          {model.enable_groups.map((name) => {
            const ratio = toRatio(findOwn(book.group_ratio, name) ?? 1);
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{t('times', { ratio })}</td>
                <td>{format.exactMoney(priceTimes(model.prices['input'] ?? 0, ratio))}</td>
                <td>{format.exactMoney(priceTimes(model.prices['output'] ?? 0, ratio))}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Part>
  );
}

function Endpoints({ model, book }: { readonly model: PricedModel; readonly book: PriceBook }) {
  const { t } = useTranslation('models');
  return (
    <Part title={t('endpoints')}>
      {model.supported_endpoint_types.length === 0 && <Text size="sm">{t('notServed')}</Text>}
      <ul className={classes.endpoints}>
        {model.supported_endpoint_types.map((type) => {
          const endpoint = findOwn(book.supported_endpoint, type);
          const path = endpoint?.path.replace('{model}', model.model_name) ?? '';
          return (
            <li key={type}>
              <span>{t(`endpointTypes.${type as 'openai'}`, { defaultValue: type })}</span>
              <code className="tg-mono">
                {endpoint?.method} {path}
              </code>
              <Copy text={path} what={path} />
            </li>
          );
        })}
      </ul>
    </Part>
  );
}
