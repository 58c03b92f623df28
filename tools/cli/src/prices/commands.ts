import { readFile, stat } from 'node:fs/promises';
import { type BodyOf, catalogueEntries, drafts } from '@tollgate/api';
import { planPriceFeed, type PriceFeed, PriceFeedError, readPriceFeed } from '@tollgate/providers';
import type { Command } from 'commander';
import { type Api, withApi } from '../api/client.ts';
import { Refusal } from '../api/refusal.ts';
import { Failure } from '../failure.ts';
import { type Io, remark, say } from '../io.ts';
import { tableText } from '../table.ts';

interface FeedOptions {
  readonly draft?: string;
  readonly dryRun?: true;
}

const MICRO = 1_000_000n;
const MAX_LACKING = 40;

/** `tollgate prices feed`: a price file into a draft. */
export function addPriceCommands(program: Command, io: Io): void {
  program
    .command('prices')
    .description('price lists')
    .command('feed <file>')
    .description("writes LiteLLM's map or OpenRouter's list of prices into a draft; publishes nothing")
    .option(
      '--draft <name>',
      'the draft to write; one that is open keeps its other changes (default: prices and the day)',
    )
    .option('--dry-run', 'say what would change, and write nothing')
    .action((file: string, options: FeedOptions) => feedPrices(io, file, options));
}

async function feedPrices(io: Io, file: string, { draft, dryRun }: FeedOptions): Promise<void> {
  const { feed, date } = await readFeed(file);
  await withApi(io, async (api) => {
    const { catalogue } = await api.ask(catalogueEntries.showCatalogue);
    const plan = planPriceFeed(catalogue, feed, { source: feed.source, date });
    const before = new Map(catalogue.models.map((model) => [model.name, model.prices]));
    const rows = plan.changed.map(({ name, prices }) => [
      name,
      `${usd(before.get(name)?.input)} -> ${usd(prices.input)}`,
      `${usd(before.get(name)?.output)} -> ${usd(prices.output)}`,
    ]);
    if (rows.length > 0) say(io, tableText(['model', 'input USD/M', 'output USD/M'], rows));
    remark(io, `${plan.changed.length} models would change, ${plan.same} are priced so already.`);
    if (plan.unknown.length > 0) remark(io, `The file does not know: ${plan.unknown.join(', ')}.`);
    if (plan.lacking.length > 0) {
      const shown = plan.lacking.slice(0, MAX_LACKING).map(({ name }) => name);
      const more = plan.lacking.length - shown.length;
      remark(io, `The catalogue lacks: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`);
    }
    for (const each of feed.skipped) remark(io, `Left out: ${each}.`);
    for (const each of plan.notes) remark(io, `Note: ${each}.`);
    if (dryRun || plan.changed.length === 0) return;
    const reason = `List prices of ${feed.shape === 'litellm' ? "LiteLLM's map" : "OpenRouter's list"} of ${date}`;
    const written = await writeDraft(api, draft, reason, plan.changed);
    say(
      io,
      `The draft ${written} holds them. Look at it in the console under Catalogue, and publish it there.`,
    );
  });
}

type ModelEntry = Extract<
  BodyOf<typeof drafts.writeDraft>['changes'][number],
  { section: 'models'; op: 'put' }
>['entry'];

/**
 * Writes models into a draft beside what else it says. Of the day's own name a draft that is published or waits for its day
 * is left as it is, and the next number is taken.
 *
 * @returns its name. @throws Failure where the draft that was named can be written no more.
 */
async function writeDraft(
  api: Api,
  stated: string | undefined,
  reason: string,
  models: readonly ModelEntry[],
): Promise<string> {
  const first = stated ?? `prices-${new Date().toISOString().slice(0, 10)}`;
  let name = first;
  let existing = await findDraft(api, name);
  for (let number = 2; existing !== undefined && existing.status !== 'open'; number += 1) {
    if (stated !== undefined)
      throw new Failure(`The draft ${name} is ${existing.status}.`, 'Name another one with --draft.');
    name = `${first}-${number}`;
    existing = await findDraft(api, name);
  }
  const written = new Set(models.map((model) => model.name));
  const isKept = (change: NonNullable<typeof existing>['changes'][number]) =>
    !(change.op === 'put' && change.section === 'models' && written.has(change.entry.name));
  const changes = (existing?.changes ?? []).filter(isKept);
  await api.ask(drafts.writeDraft, {
    params: { name },
    headers: { 'if-match': String(existing?.revision ?? 0) },
    body: {
      reason: existing?.reason ?? reason,
      changes: [
        ...changes,
        ...models.map((entry) => ({ op: 'put' as const, section: 'models' as const, entry })),
      ],
    },
  });
  return name;
}

async function findDraft(api: Api, name: string) {
  try {
    return await api.ask(drafts.showDraft, { params: { name } });
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  }
}

/** What the file says, and the day on which it was written. */
async function readFeed(file: string): Promise<{ readonly feed: PriceFeed; readonly date: string }> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Failure(`${file} cannot be read: ${error.message}`);
  });
  try {
    return { feed: readPriceFeed(text), date: (await stat(file)).mtime.toISOString().slice(0, 10) };
  } catch (error) {
    if (!(error instanceof PriceFeedError)) throw error;
    throw new Failure(`${file} is no price file. ${error.message}`);
  }
}

function usd(micro: number | undefined): string {
  if (micro === undefined) return '-';
  const fraction = String(BigInt(micro) % MICRO)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${BigInt(micro) / MICRO}.${fraction}`;
}
