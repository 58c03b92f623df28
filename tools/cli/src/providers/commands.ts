import { type AnswerOf, type BodyOf, catalogueEntries, providers } from '@tollgate/api';
import type { Command } from 'commander';
import { type Api, withApi } from '../api/client.ts';
import { Failure } from '../failure.ts';
import { askFor, type Io, remark, say } from '../io.ts';
import { tableText } from '../table.ts';

type Provider = AnswerOf<typeof providers.listProviders>['items'][number];

interface AddOptions {
  readonly name?: string;
  readonly way?: string;
  readonly field?: readonly string[];
  readonly baseUrl?: string;
  readonly allowPrivate?: true;
  readonly models?: readonly string[];
  readonly groups?: readonly string[];
  readonly test: boolean;
  readonly dryRun?: true;
}

/** The variable that holds the secret: a command line stands in the history of the shell and in the list of processes. */
const SECRET_VARIABLE = 'TOLLGATE_PROVIDER_SECRET';

/** `tollgate provider`: list, models, add. */
export function addProviderCommands(program: Command, io: Io): void {
  const commands = program.command('provider').description('providers of models');
  commands
    .command('list')
    .description('the providers that are known')
    .action(() =>
      withApi(io, async (api) => {
        const { items } = await api.ask(providers.listProviders);
        const rows = items.map(({ name, title, models, fields }) => [
          name,
          title,
          String(models.length),
          fields.map((field) => field.name).join(' ') || '-',
        ]);
        say(io, tableText(['name', 'provider', 'listed models', 'asks for'], rows));
      }),
    );
  commands
    .command('add <provider>')
    .description(`lets a provider serve; its secret is read from ${SECRET_VARIABLE}, or asked for`)
    .option('--name <name>', 'of its upstream and its pool, where it differs')
    .option('--way <way>', 'how to prove who asks, where there are several')
    .option('--field <name=value...>', 'what it asks for, such as region=eu-central-1')
    .option('--base-url <url>', 'another address, such as that of a proxy')
    .option('--allow-private', 'its address may be one of a private network')
    .option('--models <names...>', 'only these of its list; else all that it has', readNames)
    .option('--groups <names...>', 'whose keys may use them; else default', readNames)
    .option('--no-test', 'publish without trying it first')
    .option('--dry-run', 'say what it would do, and do nothing')
    .action((name: string, options: AddOptions) => withApi(io, (api) => add(io, api, name, options)));
}

async function add(io: Io, api: Api, name: string, options: AddOptions): Promise<void> {
  const provider = await findProvider(api, name);
  const settings = await readSettings(io, provider, options);
  const { models: own } = options.test
    ? await api.ask(providers.listProviderModels, { body: settings })
    : { models: [] };
  const models = options.models ?? listModels(provider, own);
  const [first] = models;
  if (first === undefined) {
    throw new Failure(
      `${provider.title} has no list prices, so its models must be priced one by one.`,
      'Add it in the console under Upstreams, where its models are listed for you.',
    );
  }
  if (options.test) {
    const { ok, latency_ms, error } = await api.ask(providers.testProvider, {
      body: { ...settings, model: first },
    });
    if (!ok) throw new Failure(`${provider.title} does not work: ${error}`, 'Nothing was published.');
    remark(io, `${first} answered after ${latency_ms} ms.`);
  }
  const added = await api.ask(providers.addProvider, {
    body: {
      ...settings,
      models: models.map((each) => ({ name: each })),
      groups: [...(options.groups ?? (await findOpenGroups(api)))],
      dry_run: options.dryRun === true,
    },
  });
  for (const note of added.notes) remark(io, note);
  const what = `${models.length} models of ${provider.title} through the pool ${added.pool}`;
  say(io, added.version === null ? `It would serve ${what}.` : `Version ${added.version} serves ${what}.`);
}

/** Names by blanks or commas: neither stands in one. */
const readNames = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...text.split(',').filter((name) => name !== ''),
];

async function findProvider(api: Api, name: string): Promise<Provider> {
  const { items } = await api.ask(providers.listProviders);
  const found = items.find((each) => each.name === name);
  if (!found) throw new Failure(`There is no provider "${name}".`, '`tollgate provider list` names them.');
  return found;
}

async function readSettings(
  io: Io,
  provider: Provider,
  options: AddOptions,
): Promise<BodyOf<typeof providers.listProviderModels>> {
  const way = provider.ways.find((each) => options.way === undefined || each.name === options.way);
  const secret =
    way?.needs_secret === false
      ? undefined
      : (io.env[SECRET_VARIABLE] ?? (await askFor(io, `${way?.title ?? 'Secret'} of ${provider.title}: `)));
  return {
    provider: provider.name,
    fields: Object.fromEntries((options.field ?? []).map(readField)),
    ...(options.name !== undefined && { name: options.name }),
    ...(options.way !== undefined && { way: options.way }),
    ...(options.baseUrl !== undefined && { base_url: options.baseUrl }),
    ...(options.allowPrivate && { allow_private_addresses: true }),
    ...(secret && { secret }),
  };
}

function readField(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new Failure(`--field ${text} is no name=value.`, 'It looks like region=eu-central-1.');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Of those with a list price the ones that the provider says it has; all where it does not say. */
const listModels = (provider: Provider, own: readonly string[]): string[] =>
  provider.models
    .filter(({ name, upstream_name }) => own.length === 0 || own.includes(upstream_name ?? name))
    .map(({ name }) => name);

async function findOpenGroups(api: Api): Promise<string[]> {
  const { catalogue } = await api.ask(catalogueEntries.showCatalogue);
  return catalogue.groups.filter(({ name }) => name === 'default').map(({ name }) => name);
}
