import { TOKEN_KINDS, TOOL_KINDS } from '@tollgate/simulator/billed';
import { CHAT_VENDORS, PROFILES, RULE_BOOKS } from '@tollgate/simulator/rule-books';
import { markdownTable } from './markdown-table.ts';

/** What docs/simulator.md says: every rule and every profile is read from the simulator. */
export const simulatorDocument = (): string =>
  `${[
    '# What the simulator refuses',
    '`npm run docs` writes this page from the rules in `apps/simulator/src/rules`. Do not edit it by hand.',
    [
      'The simulated upstream of the tests refuses what the vendors refuse, with their status, their envelope and their',
      'words, so that a request that is right for a format and wrong for a vendor or a model fails a test. There is no other',
      'mode. Each rule names the page or the public thread that says so; where no source was found, nothing is refused. A',
      'test in `apps/simulator/src/rules` sends a request that each rule refuses and a neighbour that passes.',
    ].join('\n'),
    [
      'The rules of a format are checked in the order of its table, and the first that refuses answers. What a rule says of',
      'a model holds by the model’s name (below); a name that no pattern knows is a model that takes whatever its format',
      'can say.',
    ].join('\n'),
    ...RULE_BOOKS.flatMap(({ title, rules }) => [
      `## ${title}`,
      markdownTable(
        ['rule', 'what is refused', 'source'],
        rules.map(({ id, refuses, source }) => [`\`${id}\``, cell(refuses), `<${source}>`]),
      ),
    ]),
    '## Vendors that speak Chat Completions',
    [
      'Below `/vendors/<name>` stands the host of a vendor, which has this address alone and refuses this beside what the format',
      'and the model’s name say.',
    ].join('\n'),
    markdownTable(
      ['vendor', 'address', 'what is refused', 'source'],
      CHAT_VENDORS.flatMap(({ name, path, rules }) =>
        rules.map(({ refuses, source }) => [`\`${name}\``, `\`${path}\``, cell(refuses), `<${source}>`]),
      ),
    ),
    '## Models',
    'The first pattern of a table that is in the name of a model holds.',
    ...PROFILES.flatMap(({ title, profiles }) => [
      `### ${title}`,
      markdownTable(
        ['name', 'what it takes', 'source'],
        profiles.map(({ models, takes, source }) => [
          `\`${cell(models.source)}\``,
          cell(factsOf(takes)),
          `<${source}>`,
        ]),
      ),
    ]),
    '## What the simulator bills',
    [
      'The simulator keeps a bill of its own for each credential, by the vendors’ rules and without any code of the meter or',
      'the catalogue, so that a test can hold the books against it. It begins once `PUT /__sim/prices` has said what a model',
      'costs, in USD as decimal text:',
    ].join('\n'),
    ['```json', JSON.stringify(BILL_EXAMPLE, null, 2), '```'].join('\n'),
    [
      `Tokens are priced by the million (${listed(TOKEN_KINDS)}), the vendor’s tools by the`,
      `thousand (${listed(TOOL_KINDS)}). Tokens are priced times the ratio of the tier and of the region that`,
      'served the request, which `standard` and no region leave as they are; tools cost the same in each. Whatever is served is',
      'charged, also where the answer reports no usage or breaks off; errors are not.',
    ].join('\n'),
    markdownTable(
      ['format', 'rule'],
      BILL_RULES.map(([format, rule]) => [format, rule]),
    ),
    [
      '`GET /__sim/bill` answers for each credential `amount_pico`, exact, its `requests`, the `lines` of the `latest` of them',
      '(model, kind, tier, region, count and amount), and under `unpriced` whatever had no price and was left out of the sum.',
      '`DELETE /__sim/bill` begins again.',
    ].join('\n'),
  ].join('\n\n')}\n`;

const BILL_EXAMPLE = {
  'a-model': {
    per_million: { input: '3', cached_input: '0.3', output: '15' },
    per_thousand: { search: '10', container: '30' },
    tiers: { priority: '2', flex: '0.5' },
    regions: { us: '1.1' },
  },
};

const BILL_RULES = [
  [
    'OpenAI Chat Completions',
    'cached and written tokens, sound and pictures are part of the input, sound part of the output; a model that only cites pages costs one search for each request',
  ],
  [
    'OpenAI Responses',
    'searches are charged, pages that are opened are not; each container once; the tool that draws at the prices of its own model, in the standard tier',
  ],
  [
    'Anthropic Messages',
    'writes for an hour have a price of their own; searches and fetches are charged, and one container',
  ],
  [
    'Gemini generateContent',
    'up to Gemini 2 each prompt that was grounded is a search, from then on each query',
  ],
] as const;

const listed = (kinds: readonly string[]): string => kinds.map((kind) => `\`${kind}\``).join(', ');

const factsOf = (takes: object): string =>
  Object.entries(takes)
    .map(([name, value]) => `${name} ${said(value)}`)
    .join('; ');

function said(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A bar would end the cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|');
