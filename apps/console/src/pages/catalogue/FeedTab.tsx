import {
  Alert,
  Button,
  Checkbox,
  FileButton,
  Group,
  Stack,
  Table,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Published } from '../../api/catalogue.ts';
import type { Draft } from '../../api/drafts.ts';
import { notify } from '../../shared/notify.ts';
import { Mark } from '../../shared/Mark.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { pickEntries } from './changes.ts';
import { DraftError } from './DraftError.tsx';
import { compareFeed, type FeedComparison, type FeedRow, toPercent, withRows } from './feed-rows.ts';
import { toUsd } from './prices.ts';
import type { ChangeSearch } from './search.ts';
import { TargetDraft } from './TargetDraft.tsx';
import { useDraftWriter } from './use-draft-writer.ts';
import { useTargetDraft } from './use-target-draft.ts';
import classes from './Catalogue.module.css';
import { dayIn } from '../../shared/clock.ts';
import { useZone } from '../../shared/use-zone.ts';

const EXAMPLE = '{"gpt-4o": {"input_cost_per_token": 2.5e-06, …';

interface FeedTabProps {
  readonly live: Published;
  readonly draft: Draft | undefined;
  readonly change: ChangeSearch;
}

const MAX_ROWS = 200;

/** Reads a price file, shows what it would change, and writes what is picked into a draft. */
export default function FeedTab({ live, draft, change }: FeedTabProps) {
  const { t } = useTranslation('price-feed');
  const [text, setText] = useState('');
  const [source, setSource] = useState('');
  const zone = useZone();
  const [date, setDate] = useState(() => dayIn(zone, Date.now()));
  const read = findComparison(text, live, draft, { source, date });
  const open = async (file: File | null) => {
    if (!file) return;
    setText(await file.text());
    setDate(dayIn(zone, file.lastModified));
  };
  return (
    <Panel>
      <div className={classes.section}>
        <Stack gap="md">
          <Text size="sm" c="dimmed" maw={720}>
            {t('about')}
          </Text>
          <Group gap="sm" align="flex-end">
            <FileButton accept=".json,application/json" onChange={(file) => void open(file)}>
              {(props) => (
                <Button {...props} variant="default" leftSection={<IconUpload size={16} />}>
                  {t('upload')}
                </Button>
              )}
            </FileButton>
            <TextInput
              flex="2 1 16rem"
              label={t('source')}
              placeholder={read?.comparison?.source ?? t('sourceSuch')}
              maxLength={500}
              value={source}
              onChange={({ currentTarget: { value } }) => setSource(value)}
            />
            <TextInput
              flex="0 1 10rem"
              type="date"
              label={t('date')}
              value={date}
              onChange={({ currentTarget: { value } }) => setDate(value || dayIn(zone, Date.now()))}
            />
          </Group>
          <Textarea
            label={t('pasted')}
            placeholder={EXAMPLE}
            minRows={4}
            maxRows={4}
            autosize
            spellCheck={false}
            value={text.length > 20_000 ? `${text.slice(0, 20_000)}…` : text}
            onChange={({ currentTarget: { value } }) => setText(value)}
            {...(read?.fault === undefined ? {} : { error: t('noFeed', { why: read.fault }) })}
          />
          {read?.comparison && (
            <Comparison
              key={text}
              live={live}
              draft={draft}
              change={change}
              comparison={read.comparison}
              onWritten={() => setText('')}
            />
          )}
        </Stack>
      </div>
    </Panel>
  );
}

/** Undefined while there is nothing to read. */
function findComparison(
  text: string,
  live: Published,
  draft: Draft | undefined,
  stated: { readonly source: string; readonly date: string },
): { readonly comparison?: FeedComparison; readonly fault?: string } | undefined {
  if (text.trim() === '') return undefined;
  try {
    return { comparison: compareFeed(text, live.catalogue, draft?.changes ?? [], stated) };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

interface ComparisonProps extends FeedTabProps {
  readonly comparison: FeedComparison;
  readonly onWritten: () => void;
}

function Comparison({ live, draft, change, comparison, onWritten }: ComparisonProps) {
  const { t } = useTranslation(['price-feed', 'catalogue']);
  const { rows, unchanged, unknown, skipped } = comparison;
  // What is sold already is picked; what is new is an offer.
  const [picked, setPicked] = useState<ReadonlySet<string>>(
    () => new Set(rows.filter(({ isNew }) => !isNew).map(({ name }) => name)),
  );
  const [target, setTarget, isLoading] = useTargetDraft(draft);
  const writer = useDraftWriter();
  const chosen = rows.filter(({ name }) => picked.has(name));
  const names = chosen.map(({ name }) => name);
  const write = () =>
    writer.mutate(
      {
        name: target,
        edit: (changes) => withRows(changes, chosen),
        about: {
          seen: { live, draft },
          section: 'models',
          pick: pickEntries('models', names),
        },
      },
      {
        onSuccess: () => {
          notify({ message: t('saved', { ns: 'catalogue', draft: target }) });
          onWritten();
          void change({ draft: target, tab: 'changes' });
        },
      },
    );
  return (
    <Stack gap="md">
      <Text size="sm" role="status">
        {t('found', {
          changed: rows.filter(({ isNew }) => !isNew).length,
          added: rows.filter(({ isNew }) => isNew).length,
          unchanged,
        })}
      </Text>
      {rows.length > 0 && <Rows rows={rows} picked={picked} onPick={setPicked} />}
      {unknown.length > 0 && (
        <Text size="sm" c="dimmed">
          {t('unknown', { models: unknown.join(', ') })}
        </Text>
      )}
      {skipped.length > 0 && (
        <Alert color="yellow" title={t('skipped', { count: skipped.length })}>
          {skipped.slice(0, 10).map((each) => (
            <Text key={each} size="sm">
              {each}
            </Text>
          ))}
        </Alert>
      )}
      {rows.length > 0 && (
        <Group align="flex-end" gap="sm">
          {!draft && <TargetDraft value={target} onChange={setTarget} isLoading={isLoading} />}
          <Button
            disabled={chosen.length === 0 || target.trim() === ''}
            loading={writer.isPending}
            onClick={write}
          >
            {t('write', { count: chosen.length })}
          </Button>
          <DraftError error={writer.error} draft={target} />
        </Group>
      )}
    </Stack>
  );
}

interface RowsProps {
  readonly rows: readonly FeedRow[];
  readonly picked: ReadonlySet<string>;
  readonly onPick: (names: ReadonlySet<string>) => void;
}

function Rows({ rows, picked, onPick }: RowsProps) {
  const { t } = useTranslation('price-feed');
  const [find, setFind] = useState('');
  const found = rows.filter(({ name }) => name.toLowerCase().includes(find.trim().toLowerCase()));
  const isEvery = found.length > 0 && found.every(({ name }) => picked.has(name));
  const pick = (names: readonly string[], isOn: boolean) =>
    onPick(isOn ? picked.union(new Set(names)) : picked.difference(new Set(names)));
  return (
    <div>
      <TextInput
        mb="xs"
        maw={320}
        aria-label={t('find')}
        placeholder={t('find')}
        value={find}
        onChange={({ currentTarget: { value } }) => setFind(value)}
      />
      <Table.ScrollContainer minWidth={480}>
        <Table aria-label={t('differences')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={36}>
                <Checkbox
                  aria-label={t('pickAll')}
                  checked={isEvery}
                  onChange={() =>
                    pick(
                      found.map(({ name }) => name),
                      !isEvery,
                    )
                  }
                />
              </Table.Th>
              <Table.Th>{t('model')}</Table.Th>
              <Table.Th ta="right">{t('input')}</Table.Th>
              <Table.Th ta="right">{t('output')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {found.slice(0, MAX_ROWS).map((row) => (
              <Table.Tr key={row.name}>
                <Table.Td>
                  <Checkbox
                    aria-label={t('pick', { name: row.name })}
                    checked={picked.has(row.name)}
                    onChange={({ currentTarget: { checked } }) => pick([row.name], checked)}
                  />
                </Table.Td>
                <Table.Td className="tg-mono">
                  <Group gap="xs">
                    {row.name}
                    {row.isNew && <Mark tone="accent">{t('new')}</Mark>}
                  </Group>
                </Table.Td>
                <Price price={row.input} />
                <Price price={row.output} />
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {found.length > MAX_ROWS && (
        <Text size="sm" c="dimmed">
          {t('more', { count: found.length - MAX_ROWS })}
        </Text>
      )}
    </div>
  );
}

function Price({ price }: { readonly price: FeedRow['input'] }) {
  const format = useFormat();
  const percent = toPercent(price);
  return (
    <Table.Td ta="right" className="tg-number">
      {percent !== undefined && (
        <Text span size="sm" c="dimmed" td="line-through" mr={6}>
          {format.exactMoney(toUsd(price.from ?? 0))}
        </Text>
      )}
      {format.exactMoney(toUsd(price.to))}
      {percent !== undefined && (
        <Text span size="xs" ml={6}>
          {percent}
        </Text>
      )}
    </Table.Td>
  );
}
