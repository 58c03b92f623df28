import { dataExports, EXPORT_FORMATS, EXPORT_KINDS, type ExportFormat, type ExportKind } from '@tollgate/api';
import { type Command, Option } from 'commander';
import { accountId } from '../api/account.ts';
import { type Api, withApi } from '../api/client.ts';
import { type Io, remark, say } from '../io.ts';
import { tableText } from '../table.ts';
import { downloadExport } from './download.ts';
import { waitForExport } from './wait-for-export.ts';

interface RunOptions {
  readonly kind: ExportKind;
  readonly format: ExportFormat;
  readonly from: string;
  readonly to: string;
  readonly account?: string;
  readonly model?: string;
  readonly key?: string;
  readonly output?: string;
  readonly wait: boolean;
  readonly json?: true;
}

/** `tollgate exports`: run, list, download. */
export function addExportCommands(program: Command, io: Io): void {
  const exports = program.command('exports').description('Files of what was booked');
  exports
    .command('run')
    .description('asks for an export and waits for it; with --output its files are fetched')
    .addOption(new Option('--kind <kind>').choices(EXPORT_KINDS).default('usage'))
    .addOption(new Option('--format <format>').choices(EXPORT_FORMATS).default('csv'))
    .requiredOption('--from <time>', 'booked at or after this, such as 2026-11-01T00:00:00Z')
    .requiredOption('--to <time>', 'booked before this')
    .option('--account <name or id>', 'of one account')
    .option('--model <name>', 'of one model')
    .option('--key <id>', 'of one key')
    .option('-o, --output <directory>', 'where its files go')
    .option('--no-wait', 'do not wait until it is done')
    .option('--json', 'as JSON')
    .action((options: RunOptions) => withApi(io, (api) => run(io, api, options)));
  exports
    .command('list')
    .description('the newest exports')
    .option('--json', 'as JSON')
    .action(({ json }: { json?: true }) =>
      withApi(io, async (api) => {
        const { items } = await api.ask(dataExports.listExports, { query: { limit: 200 } });
        if (json) return say(io, JSON.stringify(items));
        const rows = items.map((job) => [
          job.id,
          job.kind,
          job.format,
          job.status,
          String(job.rows.done),
          job.from,
          job.to,
        ]);
        say(io, tableText(['id', 'kind', 'format', 'status', 'rows', 'from', 'to'], rows));
      }),
    );
  exports
    .command('download <id>')
    .description('fetches the files of an export that is done, and checks each by its SHA-256')
    .option('-o, --output <directory>', 'where they go', '.')
    .action((id: string, { output }: { output: string }) =>
      withApi(io, async (api) => {
        const job = await waitForExport(io, api, id);
        for (const file of await downloadExport(io, api, job.id, output)) say(io, file);
      }),
    );
}

async function run(io: Io, api: Api, options: RunOptions): Promise<void> {
  const { kind, format, from, to, model, key } = options;
  const asked = await api.ask(dataExports.createExport, {
    body: {
      kind,
      format,
      from,
      to,
      ...(model === undefined ? {} : { model }),
      ...(key === undefined ? {} : { key_id: key }),
      ...(options.account === undefined ? {} : { account_id: await accountId(api, options.account) }),
    },
  });
  const job = options.wait ? await waitForExport(io, api, asked.id) : asked;
  const files =
    options.output === undefined || !options.wait
      ? []
      : await downloadExport(io, api, job.id, options.output);
  if (options.json) return say(io, JSON.stringify({ ...job, files }));
  remark(io, `Export ${job.id} is ${job.status}: ${job.rows.done} rows.`);
  for (const text of files.length > 0 ? files : [job.id]) say(io, text);
}
