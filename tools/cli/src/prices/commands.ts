import { readFile } from 'node:fs/promises';
import { catalogueEntries, drafts } from '@tollgate/api';
import { planPriceFeed, type PriceFeed, PriceFeedError, readPriceFeed } from '@tollgate/providers';
import type { Command } from 'commander';
import { withApi } from '../api/client.ts';
import { Failure } from '../failure.ts';
import { type Io, remark, say } from '../io.ts';
import { tableText } from '../table.ts';

interface FeedOptions {
  readonly draft: string;
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
    .option('--draft <name>', 'the draft to write', `prices-${new Date().toISOString().slice(0, 10)}`)
    .option('--dry-run', 'say what would change, and write nothing')
    .action((file: string, options: FeedOptions) => feedPrices(io, file, options));
}

async function feedPrices(io: Io, file: string, { draft, dryRun }: FeedOptions): Promise<void> {
  const feed = await readFeed(file);
  await withApi(io, async (api) => {
    const { catalogue } = await api.ask(catalogueEntries.showCatalogue);
    const names = Object.assign(
      {},
      ...catalogue.pools.flatMap(({ members }) => members.map((each) => each.model_map)),
    );
    const plan = planPriceFeed(catalogue, feed, names as Record<string, string>);
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
    if (dryRun || plan.changed.length === 0) return;
    const written = await api.ask(drafts.writeDraft, {
      params: { name: draft },
      headers: { 'if-match': '0' },
      body: {
        reason: `List prices of ${feed.shape === 'litellm' ? "LiteLLM's map" : "OpenRouter's list"}`,
        changes: plan.changed.map((entry) => ({ op: 'put' as const, section: 'models' as const, entry })),
      },
    });
    say(
      io,
      `The draft ${written.name} holds them. Look at it in the console under Catalogue, and publish it there.`,
    );
  });
}

async function readFeed(file: string): Promise<PriceFeed> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Failure(`${file} cannot be read: ${error.message}`);
  });
  try {
    return readPriceFeed(text);
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
