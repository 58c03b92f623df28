import { keptState, type StateWrapper } from '../../convert/reasoning-state.ts';
import type { ReasoningState } from '../../neutral/request.ts';

/** Thought signatures are base64 in this format. */
export const wrapSignature = (states: readonly ReasoningState[], { wrap }: StateWrapper): string =>
  keptState(states, 'gemini', { wrap: (each) => Buffer.from(wrap(each)).toString('base64') });

/**
 * For the first call of an answer of a model without states: it says that there is none, wherever the conversation goes on.
 * Google refuses the turn where nothing is said.
 */
export const bareCall = (wrapper: StateWrapper): { readonly thoughtSignature: string } => ({
  thoughtSignature: wrapSignature([], wrapper),
});

/** `tg1.W10.`: it was put there because there is nothing to say. */
export const isBare = (signature: string): boolean =>
  Buffer.from(signature, 'base64').toString('latin1').startsWith('tg1.W10.');

/** The states in a thought signature: what another vendor's turn left there, or the vendor's own. */
export function statesOfSignature(signature: string, wrapper: StateWrapper): ReasoningState[] {
  return (
    wrapper.unwrap(Buffer.from(signature, 'base64').toString('latin1')) ?? [
      { format: 'gemini', kind: 'signed', data: signature },
    ]
  );
}

/** What the vendor takes in place of a signature for a call that one of its models did not make. */
export const FOREIGN_CALL = 'skip_thought_signature_validator';
/** From the third generation on, the first call of a turn is refused without a signature; earlier ones know none. */
export const needsSignature = (model: string): boolean => !/(?:^|\/)gemini-[12]\b/.test(model);
