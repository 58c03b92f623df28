import { CODECS } from '@tollgate/protocols';
import {
  type ClientProtocol,
  CLIENT_PROTOCOLS,
  COSTLY_FEATURE_NAMES,
  COSTLY_FEATURES,
  type CostlyFeature,
} from '@tollgate/vocabulary';
import { markdownTable } from './markdown-table.ts';

/** What vendors sell beside tokens, and what becomes of it where it is not sold here. */
export const costSections = (): string[] => [
  '## What costs more than tokens',
  [
    'Vendors run tools themselves, and sell speed, tiers, regions and pictures of other models, at prices of their own. None',
    'of it is served, whatever the format of the upstream, until an operator sells it or gives it away: a model of the catalogue',
    'names it under `features`, such as `{"web_search": "priced"}` with its price beside it ([how](catalogue.md)), or `"free"`,',
    'and its callers pay for tokens alone.',
  ].join('\n'),
  markdownTable(
    ['what a client asks for, and is not sold', 'what becomes of it'],
    [
      [
        'a tool of the vendor, offered beside others',
        'it is left out and listed in `x-tollgate-dropped`; a strict key gets a 400. Every tool that is not known to run at the client is taken for one',
      ],
      ['one that is demanded, by `tool_choice` or as the only tool', 'a 400 that names it'],
      ['a field of the table below', 'a 400 that names it'],
      ['a tool that draws, with a model that is not among `image_models`', 'it is not served'],
    ],
  ),
  [
    '- A tool that draws is told the first of `image_models` where it names no model.',
    '- The body is written again only where something is left out or named. What an upstream sets by `set_parameters` is the word of',
    '  its operator and stays.',
  ].join('\n'),
  costTable(),
];

/** Of each feature the fields and tools that ask for it; a tool by how its type begins. */
const costTable = (): string =>
  markdownTable(
    ['feature', 'what it is', ...CLIENT_PROTOCOLS.map(code)],
    COSTLY_FEATURES.map((feature) => [
      code(feature),
      COSTLY_FEATURE_NAMES[feature],
      ...CLIENT_PROTOCOLS.map((protocol) => costsOf(protocol, feature)),
    ]),
  );

function costsOf(protocol: ClientProtocol, feature: CostlyFeature): string {
  const { fields, hostedTools } = CODECS[protocol].costs;
  const asked = Object.entries(fields).flatMap(
    ([field, { feature: its, free = [], absent, instead = {} }]) => {
      if (its !== feature) return [];
      const words = [
        ...(free.length > 0
          ? [`free as ${free.map((value) => code(JSON.stringify(value))).join(', ')}`]
          : []),
        ...(absent === undefined ? [] : [`${code(JSON.stringify(absent))} where it is left out`]),
        ...Object.entries(instead).map(([from, to]) => `${code(from)} is sent as ${code(String(to))}`),
      ];
      return [`${code(field)}${words.length > 0 ? ` (${words.join('; ')})` : ''}`];
    },
  );
  const tools = hostedTools.flatMap(([beginning, its]) =>
    its === feature ? [`tool ${code(`${beginning}…`)}`] : [],
  );
  return [...asked, ...tools].join(', ');
}

const code = (text: string): string => `\`${text}\``;
