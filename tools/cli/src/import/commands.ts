import type { Command } from 'commander';
import { readYaml } from '../catalogue/read-file.ts';
import type { Io } from '../io.ts';
import { liteLlmConfig } from './litellm/config.ts';
import { planLiteLlm } from './litellm/plan-litellm.ts';
import { readPriceMap, withPriceMap } from './litellm/price-map.ts';
import { readVirtualKeys } from './litellm/virtual-keys.ts';
import { planNewApi } from './new-api/plan-new-api.ts';
import { type MoveOptions, runMove } from './run-move.ts';

interface LiteLlmOptions extends MoveOptions {
  readonly config: string;
  readonly group: string;
  readonly database?: string;
  readonly prices?: string;
}

/** `tollgate import`: from new-api and one-api, and from LiteLLM. */
export function addImportCommands(program: Command, io: Io): void {
  const all = program
    .command('import')
    .description('Moves in from another relay; nothing is changed without --apply');
  const from = (name: string, description: string): Command =>
    all
      .command(name)
      .description(description)
      .option('--dry-run', 'only show what would come over, as is done without --apply')
      .option('--apply', 'make it so')
      .option('--strict', 'fail where anything does not come over as it was, before anything is changed')
      .option('--json', 'as JSON');
  from(
    'new-api',
    'channels, prices, groups, users and tokens of a new-api or one-api; clients keep their keys',
  )
    .requiredOption(
      '--database <file or URL>',
      'its SQLite file, or the URL of its PostgreSQL, MySQL or MariaDB, which is only read',
    )
    .action(async ({ database, ...options }: MoveOptions & { database: string }) => {
      // Clients of databases take a while to load, which no other command has need of.
      const { readNewApi } = await import('./new-api/read-database.ts');
      return runMove(io, planNewApi(await readNewApi(database)), 'new-api', options);
    });
  from('litellm', 'models, deployments and fallbacks of a LiteLLM proxy')
    .requiredOption('--config <file>', 'its config.yaml')
    .option('--group <group>', 'who may use the models', 'default')
    .option('--database <URL>', 'its PostgreSQL, which is only read: its virtual keys come over too')
    .option(
      '--prices <file>',
      'its model_prices_and_context_window.json: what models cost whose prices the config does not say',
    )
    .action(async ({ config, group, database, prices, ...options }: LiteLlmOptions) => {
      const keys = database === undefined ? undefined : await readVirtualKeys(database);
      const stated = readYaml(config, liteLlmConfig);
      const priced = prices === undefined ? stated : withPriceMap(stated, readPriceMap(prices));
      const move = planLiteLlm(priced, group, io.env, keys);
      return runMove(io, move, 'litellm', options);
    });
}
