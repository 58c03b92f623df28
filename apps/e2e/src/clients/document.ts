import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientKind } from './install.ts';
import { type Checked, matrixRows } from './matrix.ts';
import { UPSTREAM_MODEL_NAMES, UPSTREAM_MODELS } from './upstreams.ts';

const ROOT = join(import.meta.dirname, '../../../..');
export const CLIENTS_DOCUMENT = join(ROOT, 'docs/clients.md');

/** What came of one kind of clients; undefined where they could not be installed, for this reason. */
export type RunOf = { readonly checked: readonly Checked[] } | { readonly skipped: string };

/** The page that shows which real client was run on which upstream model. */
export function clientsDocument(runs: Readonly<Record<ClientKind, RunOf>>): string {
  const parts = [
    '# Clients',
    '`npm run clients -- --write` writes this page from what it ran. Do not edit it by hand.',
    [
      'Every client is the real one from the registry, [set up](set-up-clients.md) as we say, on a fresh home and without',
      'a network but this machine. A column is a model behind the relay whose upstream speaks one format only: the simulator, which',
      'refuses what the vendor of that model refuses ([rules](simulator.md)). Clients know the model under a name of the relay,',
      'and nothing else of it. A cell says how many checks passed, or what failed; where the vendor refuses a client’s own request with',
      'or without a relay, it says why.',
    ].join('\n'),
    '## Coding agents',
    [
      'The model asks the agent to read a file with its shell, is told what the file says, and repeats it: two turns, a stream',
      'each, with all that the agent sends of its own. They take more than a gigabyte to install, and are run by',
      '`npm run clients` alone.',
    ].join('\n'),
    toMatrix(runs.agents),
    '## Libraries',
    [
      'An answer, a stream, two tools at once and their results (and, where the library keeps the conversation, one more turn',
      'after it), the same in streams, and an answer by a schema. `npm test` runs them all.',
    ].join('\n'),
    toMatrix(runs.libraries),
    '## Versions',
    table(['package', 'version'], versions()),
  ];
  return `${parts.join('\n\n')}\n`;
}

const HEAD = [
  'client',
  'checks',
  ...UPSTREAM_MODEL_NAMES.map((model) => `\`${UPSTREAM_MODELS[model].format}\` ${model}`),
];

const toMatrix = (run: RunOf): string =>
  'skipped' in run ? `**Not run**: ${run.skipped}` : table(HEAD, matrixRows(run.checked));

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map(toLine).join('\n');

export const toLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Rows of a Markdown table as they are compared: however wide somebody made its columns. */
export const squeezed = (text: string): string => text.replaceAll(/ +/g, ' ');

const OFFICIAL = [
  'openai',
  'openai-6',
  '@anthropic-ai/sdk',
  '@anthropic-ai/sdk-0',
  '@google/genai',
  '@google/genai-2',
];

function versions(): string[][] {
  const read = (path: string) =>
    JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Record<string, Record<string, string>>;
  const own = Object.entries(read('package.json')['devDependencies'] ?? {}).filter(([name]) =>
    OFFICIAL.includes(name),
  );
  const installed = ['agents', 'libraries'].flatMap((kind) =>
    Object.entries(read(`apps/e2e/clients/${kind}/package.json`)['dependencies'] ?? {}),
  );
  return [...installed, ...own].map(([name, version]) => {
    const alias = /^npm:(.+)@([^@]+)$/.exec(version);
    return [`\`${alias?.[1] ?? name}\``, alias?.[2] ?? version];
  });
}
