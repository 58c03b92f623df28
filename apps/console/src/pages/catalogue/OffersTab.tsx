import { Button, Group, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { IconPlus, IconRefresh } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fetchOffer, type Offer, offersQuery } from '../../api/upstreams.ts';
import { Panel } from '../../shared/Panel.tsx';
import { Failed, LoadingRows, useErrorText } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { toUsd } from './prices.ts';
import type { ChangeSearch } from './search.ts';
import classes from './Catalogue.module.css';

const MAX_ROWS = 100;

/** Models that upstreams have and the catalogue lacks, by the lists that they gave last. */
export default function OffersTab({ change }: { readonly change: ChangeSearch }) {
  const { t } = useTranslation('offers');
  const { data, error, refetch } = useQuery(offersQuery);
  const [find, setFind] = useState('');
  if (error && !data) return <Failed error={error} onRetry={() => void refetch()} />;
  if (!data) return <LoadingRows />;
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed" maw={720}>
        {t('about')}
      </Text>
      <TextInput
        maw={380}
        aria-label={t('find')}
        placeholder={t('find')}
        value={find}
        onChange={({ currentTarget: { value } }) => setFind(value)}
      />
      {data.map((offer) => (
        <Upstream key={offer.upstream} offer={offer} find={find.trim().toLowerCase()} change={change} />
      ))}
    </Stack>
  );
}

interface UpstreamProps {
  readonly offer: Offer;
  readonly find: string;
  readonly change: ChangeSearch;
}

function Upstream({ offer, find, change }: UpstreamProps) {
  const { t } = useTranslation('offers');
  const format = useFormat();
  const errorText = useErrorText();
  const queryClient = useQueryClient();
  const fetching = useMutation({
    mutationFn: () => fetchOffer(offer.upstream),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: offersQuery.queryKey }),
  });
  const failure = fetching.error ? errorText(fetching.error) : fetching.data?.error;
  const { fetched_at: fetchedAt } = offer;
  return (
    <Panel>
      <section className={classes.section} aria-label={offer.upstream}>
        <Group justify="space-between" gap="sm">
          <div>
            <Title order={2} size="h3" className="tg-mono">
              {offer.upstream}
            </Title>
            <Text size="sm" c="dimmed">
              {fetchedAt === null
                ? t('never')
                : t('fetched', {
                    time: format.moment(fetchedAt),
                    of: offer.count,
                    count: offer.lacking.length,
                  })}
            </Text>
          </div>
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} />}
            loading={fetching.isPending}
            aria-label={t('fetchOf', { name: offer.upstream })}
            onClick={() => fetching.mutate()}
          >
            {t('fetch')}
          </Button>
        </Group>
        {failure && (
          <Text role="alert" size="sm" mt="xs" c="var(--mantine-color-error)">
            {t('failed', { why: failure })}
          </Text>
        )}
        <Lacking offer={offer} find={find} change={change} />
      </section>
    </Panel>
  );
}

function Lacking({ offer, find, change }: UpstreamProps) {
  const { t } = useTranslation('offers');
  const format = useFormat();
  const found = offer.lacking.filter(({ name }) => name.toLowerCase().includes(find));
  if (found.length === 0) return null;
  return (
    <>
      <Table mt="sm" aria-label={t('lackingOf', { name: offer.upstream })}>
        <Table.Tbody>
          {found.slice(0, MAX_ROWS).map(({ name, suggestion }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Text size="sm" className="tg-mono">
                  {name}
                </Text>
                <Text size="xs" c="dimmed">
                  {suggestion?.price_source
                    ? t('listed', {
                        input: format.exactMoney(toUsd(suggestion.prices['input'] ?? 0)),
                        output: format.exactMoney(toUsd(suggestion.prices['output'] ?? 0)),
                        date: suggestion.price_source.date,
                      })
                    : t('unlisted')}
                </Text>
              </Table.Td>
              <Table.Td ta="right">
                <Button
                  variant="default"
                  size="compact-sm"
                  leftSection={<IconPlus size={14} />}
                  aria-label={t('addOf', { name })}
                  onClick={() =>
                    void change({ tab: undefined, edit: '+', upstream: offer.upstream, model: name })
                  }
                >
                  {t('add')}
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {found.length > MAX_ROWS && (
        <Text size="sm" c="dimmed">
          {t('more', { count: found.length - MAX_ROWS })}
        </Text>
      )}
    </>
  );
}
