import type { Command } from 'commander';
import { type Api, withApi } from '../api/client.ts';
import { Failure } from '../failure.ts';
import { type Io, isAgreedTo, remark, say } from '../io.ts';
import { catalogueText } from './file-text.ts';
import { fileSchema } from './file-schema.ts';
import { liveCatalogue } from './live.ts';
import { computePlan, type PlanOptions } from './plan.ts';
import { planText } from './plan-text.ts';
import { publishChanges } from './publish.ts';
import { readYaml } from './read-file.ts';

interface PlanCommand {
  readonly file: string;
  readonly json?: true;
  readonly secrets?: true;
}

interface ApplyCommand extends PlanCommand {
  readonly yes?: true;
  readonly reason?: string;
}

/** What `plan` ends with where the file and what is live differ, as Terraform's `-detailed-exitcode` does. */
const DIFFERS = 2;

/** `tollgate catalogue`: pull, plan, apply. */
export function addCatalogueCommands(program: Command, io: Io, end: (exit: number) => void): void {
  const catalogue = program
    .command('catalogue')
    .description('Prices, models, groups, upstreams and pools as a file');
  catalogue
    .command('pull')
    .description('writes what is live as YAML, without secrets')
    .action(() =>
      withApi(io, async (api) => void io.stdout.write(catalogueText((await liveCatalogue(api)).catalogue))),
    );
  const forFile = (name: string, description: string): Command =>
    catalogue
      .command(name)
      .description(description)
      .requiredOption('-f, --file <file>', 'the YAML; - is the standard input')
      .option('--secrets', 'send every secret again that the file refers to')
      .option('--json', 'as JSON');
  forFile('plan', 'shows what apply would change; exit code 2 when that is anything').action(
    (options: PlanCommand) =>
      withApi(io, async (api) => {
        const plan = await planFor(api, options);
        say(io, options.json ? JSON.stringify(plan) : planText(plan));
        if (plan.changes.length > 0) end(DIFFERS);
      }),
  );
  forFile('apply', 'makes the live catalogue what the file says, as one version')
    .option('--yes', 'without asking')
    .option('--reason <text>', 'why, for the list of versions')
    .action((options: ApplyCommand) => withApi(io, (api) => apply(io, api, options)));
}

async function planFor(api: Api, { file, secrets }: PlanCommand, secretOf?: PlanOptions['secretOf']) {
  const parsed = readYaml(file, fileSchema);
  const { catalogue } = await liveCatalogue(api);
  return computePlan(parsed, catalogue, { allSecrets: secrets ?? false, ...(secretOf ? { secretOf } : {}) });
}

async function apply(io: Io, api: Api, options: ApplyCommand): Promise<void> {
  const plan = await planFor(api, options, (variable) => secretFrom(io, variable));
  if (plan.changes.length === 0) {
    say(io, options.json ? JSON.stringify({ version: null, differences: [] }) : planText(plan));
    return;
  }
  remark(io, planText(plan));
  const unnamed = plan.secrets.find(({ variable }) => variable === undefined);
  if (unnamed)
    throw new Failure(
      `The new credential ${unnamed.credential} has no secret.`,
      'Give it a secret_env in the file.',
    );
  if (options.yes !== true && !(await isAgreedTo(io, 'Publish this?')))
    throw new Failure('Nothing was changed.', 'Say yes, or give --yes where nobody can be asked.');
  const version = await publishChanges(api, plan.changes, options.reason ?? `tollgate catalogue apply`);
  say(
    io,
    options.json
      ? JSON.stringify({ version, differences: plan.differences })
      : `Published as version ${version}.`,
  );
}

/** @throws Failure for a variable that is not set. */
export function secretFrom({ env }: Pick<Io, 'env'>, variable: string): string {
  const secret = env[variable];
  if (!secret)
    throw new Failure(
      `The environment variable ${variable} is not set.`,
      'It holds a secret of an upstream.',
    );
  return secret;
}
