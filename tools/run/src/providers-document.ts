import { type Provider, PROVIDERS } from '@tollgate/providers';
import { markdownTable } from './markdown-table.ts';

/** docs/providers.md: what is known of each provider. */
export const providersDocument = (): string => `# Providers

What Tollgate knows of providers before anybody says anything of their own. This page is made from \`libs/providers\` by
\`npm run docs\`.

- In the console: Upstreams > Add a provider. From the terminal: \`tollgate provider add <name>\`.
- \`npm start\` sets up those whose variable is set, with all models that are listed here, unless an upstream or a pool of that
  name is there already: what an operator changed is never overwritten.
- Prices are the providers' list prices. Each model holds where its price was read and on which day; the console and
  \`GET /api/catalogue/providers\` show both. They are what customers are charged and what the provider is taken to charge until
  somebody changes either.
- Of one's own machines no prices are known: they are stated when the provider is added.

${markdownTable(['name', 'provider', 'address', 'formats', 'variables', 'models', 'prices read'], PROVIDERS.map(toRow))}

## What they take otherwise

An upstream of theirs is made with \`dialects\` that say what they refuse or name otherwise of a format
([what the members mean](protocols.md#dialects-of-models)). What all models of a name take is known beside that.

${markdownTable(['name', 'format', 'what it takes', 'source'], PROVIDERS.flatMap(toQuirkRows))}
`;

const toQuirkRows = ({ name, quirks = [] }: Provider): string[][] =>
  quirks.map(({ format, takes, source }) => [
    `\`${name}\``,
    format,
    Object.entries(takes)
      .map(([member, value]) => `\`${member}\`: \`${JSON.stringify(value)}\``)
      .join(', '),
    source,
  ]);

const toRow = (provider: Provider): string[] => [
  `\`${provider.name}\``,
  provider.title,
  `\`${provider.base_url}\``,
  provider.protocols.join(', '),
  listVariables(provider).join(', ') || '–',
  String(provider.models.length),
  provider.models
    .map(({ source }) => source.date)
    .toSorted()
    .at(0) ?? '–',
];

const listVariables = ({ ways, fields = [] }: Provider): string[] => {
  const secrets = ways.flatMap(({ env }) => env ?? []);
  return secrets.length === 0
    ? []
    : [...secrets, ...fields.flatMap(({ env }) => env ?? [])].map((name) => `\`${name}\``);
};
