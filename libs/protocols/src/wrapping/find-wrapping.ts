import type { ClientProtocol, Protocol } from '@tollgate/vocabulary';
import { CODECS } from '../registry.ts';
import { bedrockWrapping } from './bedrock.ts';
import { fitBetas, nameDropped, readBetas } from './betas.ts';
import { toMessagesError } from './messages-error.ts';
import { vertexWrapping } from './vertex.ts';
import type { Wrapping } from './wrapping.ts';

/** A cloud that speaks Anthropic's format as its vendor does, but for the betas that it knows. */
const hostedWrapping = (at: 'foundry' | 'mantle', refusedTools: RegExp): Wrapping => ({
  carries: () => true,
  path: (target) => CODECS['anthropic-messages'].upstreamPath(target),
  wrap({ headers: { 'anthropic-beta': header, ...headers }, body }) {
    const { taken, dropped } = fitBetas(at, readBetas(header));
    if (taken.length > 0) headers['anthropic-beta'] = taken.join(',');
    return { headers, body, dropped: nameDropped(dropped) };
  },
  unwrap: toMessagesError,
  refusedTools,
  openFrames: undefined,
});

/** Anthropic on Microsoft Foundry, which runs all of its tools. */
const foundryWrapping = hostedWrapping('foundry', /^(?!)/);

/** Anthropic's format at Bedrock's mantle, which searches and runs no other tool. */
const mantleWrapping = hostedWrapping('mantle', /^(?:web_fetch|code_execution)_/);

const WRAPPINGS = {
  bedrock: bedrockWrapping,
  vertex: vertexWrapping,
  foundry: foundryWrapping,
  mantle: mantleWrapping,
} as const;

/** What an upstream states of the formats that it carries. */
type ChosenWrappings = { readonly [P in ClientProtocol]?: keyof typeof WRAPPINGS | undefined };

/** How an upstream carries a format; undefined where it speaks it as its vendor does. */
export function findWrapping(chosen: ChosenWrappings | undefined, protocol: Protocol): Wrapping | undefined {
  const name = chosen && (chosen as Readonly<Partial<Record<Protocol, keyof typeof WRAPPINGS>>>)[protocol];
  return name && WRAPPINGS[name];
}
