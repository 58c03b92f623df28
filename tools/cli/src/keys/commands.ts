import { type AnswerOf, keys } from '@tollgate/api';
import { type Command, InvalidArgumentError } from 'commander';
import { accountId } from '../api/account.ts';
import { type Api, withApi } from '../api/client.ts';
import { type Io, remark, say } from '../io.ts';
import { tableText } from '../table.ts';

type Key = AnswerOf<typeof keys.changeKey>;
type NewKey = AnswerOf<typeof keys.createKey>;
const PAGE = 200;

interface Options {
  readonly account?: string;
  readonly json?: true;
}

interface CreateOptions extends Options {
  readonly name: string;
  readonly group: string;
  readonly expires?: string;
  readonly budgetTotal?: string;
  readonly budgetDaily?: string;
  readonly budgetMonthly?: string;
  readonly models?: readonly string[];
  readonly addresses?: readonly string[];
  readonly strict?: true;
}

/** `tollgate keys`: list, create, disable, enable, rotate. */
export function addKeyCommands(program: Command, io: Io): void {
  const commands = program.command('keys').description('API keys');
  commands
    .command('list')
    .description('the keys of an account, the newest first')
    .option('--account <name or id>', 'another account than your own')
    .option('--json', 'as JSON')
    .action((options: Options) => withApi(io, (api) => list(io, api, options)));
  commands
    .command('create')
    .description('a new key; it is shown once')
    .requiredOption('--name <name>', 'what it is for')
    .option('--group <group>', 'of the catalogue', 'default')
    .option('--account <name or id>', 'another account than your own')
    .option('--expires <time>', 'such as 2027-01-01T00:00:00Z')
    .option('--budget-total <USD>', 'what it may spend in all')
    .option('--budget-daily <USD>', 'what it may spend in a day')
    .option('--budget-monthly <USD>', 'what it may spend in a month')
    .option('--models <names...>', 'only these of its group')
    .option('--addresses <ranges...>', 'only from there, such as 192.0.2.0/24')
    .option('--strict', 'refuse what a conversion would leave out')
    .option('--json', 'as JSON')
    .action((options: CreateOptions) => withApi(io, (api) => create(io, api, options)));
  for (const [name, status] of [
    ['disable', 'disabled'],
    ['enable', 'active'],
  ] as const) {
    commands
      .command(`${name} <id>`)
      .option('--json', 'as JSON')
      .action((id: string, { json }: Options) =>
        withApi(io, async (api) => {
          const key = await api.ask(keys.changeKey, { params: { id }, body: { status } });
          say(io, json ? JSON.stringify(key) : `${key.masked} "${key.name}" is ${key.status}.`);
        }),
      );
  }
  commands
    .command('rotate <id>')
    .description('a new secret for a key; it is shown once')
    .option('--overlap <seconds>', 'how long the secret before works too', seconds, 86_400)
    .option('--json', 'as JSON')
    .action((id: string, { overlap, json }: Options & { overlap: number }) =>
      withApi(io, async (api) => {
        const made = await api.ask(keys.rotateKey, { params: { id }, body: { overlap_s: overlap } });
        showNew(io, made, json);
      }),
    );
}

function seconds(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('It is a whole number of seconds.');
  return Number(text);
}

async function list(io: Io, api: Api, { account, json }: Options): Promise<void> {
  const account_id = account === undefined ? undefined : await accountId(api, account);
  const items: Key[] = [];
  for (;;) {
    const query = { limit: PAGE, offset: items.length, account_id, count: 'false' } as const;
    const page = await api.ask(keys.listKeys, { query });
    items.push(...page.items);
    if (page.items.length < PAGE) break;
  }
  if (json) return say(io, JSON.stringify(items));
  const rows = items.map((key) => [
    key.id,
    key.name,
    key.masked,
    key.owner?.email ?? '-',
    key.group,
    key.status,
    key.spent.total_usd,
    key.expires_at ?? 'never',
    Object.keys(key.operator_fields).join(' ') || '-',
  ]);
  say(
    io,
    tableText(
      ['id', 'name', 'key', 'owner', 'group', 'status', 'spent USD', 'expires', 'operators set'],
      rows,
    ),
  );
}

async function create(io: Io, api: Api, options: CreateOptions): Promise<void> {
  const { budgetTotal, budgetDaily, budgetMonthly } = options;
  const made = await api.ask(keys.createKey, {
    body: {
      name: options.name,
      group: options.group,
      expires_at: options.expires ?? null,
      budgets: {
        total_usd: budgetTotal ?? null,
        daily_usd: budgetDaily ?? null,
        monthly_usd: budgetMonthly ?? null,
      },
      models: options.models ?? null,
      allowed_addresses: options.addresses ?? null,
      strict: options.strict ?? false,
      ...(options.account === undefined ? {} : { account_id: await accountId(api, options.account) }),
    },
  });
  showNew(io, made, options.json);
}

/** The key alone goes where programs read, so that it can be kept in a variable. */
function showNew(io: Io, made: NewKey, json?: true): void {
  if (json) return say(io, JSON.stringify(made));
  remark(io, `"${made.name}" has the id ${made.id}. This is its only chance to be written down:`);
  say(io, made.key);
}
