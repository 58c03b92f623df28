import { keptState, type StateWrapper } from '../../convert/reasoning-state.ts';
import type { ReasoningState } from '../../neutral/request.ts';

/** Thought signatures are base64 in this format. */
export const wrapSignature = (states: readonly ReasoningState[], { wrap }: StateWrapper): string =>
  keptState(states, 'gemini', { wrap: (each) => Buffer.from(wrap(each)).toString('base64') });

/** The states in a thought signature: what another vendor's turn left there, or the vendor's own. */
export function statesOfSignature(signature: string, wrapper: StateWrapper): ReasoningState[] {
  return (
    wrapper.unwrap(Buffer.from(signature, 'base64').toString('latin1')) ?? [
      { format: 'gemini', kind: 'signed', data: signature },
    ]
  );
}
