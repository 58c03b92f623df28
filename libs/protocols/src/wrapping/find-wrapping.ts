import type { ClientProtocol, Protocol } from '@tollgate/vocabulary';
import { bedrockWrapping } from './bedrock.ts';
import { vertexWrapping } from './vertex.ts';
import type { Wrapping } from './wrapping.ts';

const WRAPPINGS = { bedrock: bedrockWrapping, vertex: vertexWrapping } as const;

/** What an upstream states of the formats that it carries. */
type ChosenWrappings = { readonly [P in ClientProtocol]?: keyof typeof WRAPPINGS | undefined };

/** How an upstream carries a format; undefined where it speaks it as its vendor does. */
export function findWrapping(chosen: ChosenWrappings | undefined, protocol: Protocol): Wrapping | undefined {
  const name = chosen && (chosen as Readonly<Partial<Record<Protocol, keyof typeof WRAPPINGS>>>)[protocol];
  return name && WRAPPINGS[name];
}
