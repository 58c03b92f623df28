import type { TokenCounts } from '@tollgate/vocabulary';
import type { Candidate } from '../route/candidates.ts';

type Model = Pick<Candidate, 'upstreamModel'> & {
  readonly client: { readonly upstream: { readonly name: string } };
};

/** Which models of upstreams reason: many show nothing of it, and tell it in the usage at the end alone. */
export interface UnseenReasoning {
  /** Takes what an upstream has told of an answer in full. */
  note(model: Model, tokens: TokenCounts): void;
  /** It has told of reasoning before. */
  isKnownOf(model: Model): boolean;
}

const nameOf = ({ client, upstreamModel }: Model): string => `${client.upstream.name} ${upstreamModel}`;

/** Learnt by each process for itself: it is needed of models whose streams break off, and these are few. */
export function createUnseenReasoning(): UnseenReasoning {
  const known = new Set<string>();
  return {
    note(model, { output_reasoning: reasoned }) {
      if (reasoned) known.add(nameOf(model));
    },
    isKnownOf: (model) => known.size > 0 && known.has(nameOf(model)),
  };
}
