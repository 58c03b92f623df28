import { PROFILES, RULE_BOOKS } from '@tollgate/simulator/rule-books';
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
  ].join('\n\n')}\n`;

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
