import { createHash } from 'node:crypto';

/** Who made a state. Where no account is named, every account of the vendor takes it back. */
export interface StateOwner {
  readonly vendor: 'openai' | 'anthropic' | 'google';
  readonly account?: string;
}

const markOf = ({ vendor, account }: StateOwner): string =>
  `simulated ${vendor} ${account === undefined ? 'any' : createHash('sha256').update(account).digest('hex').slice(0, 8)} `;

/** What a vendor signs its reasoning with: opaque to everybody else, the same for the same answer. */
export const reasoningState = (id: string, owner: StateOwner): string =>
  Buffer.from(`${markOf(owner)}${id}`).toString('base64');

/** Whether a state that comes back is one that this owner made. */
export const isReasoningState = (state: unknown, owner: StateOwner): boolean =>
  typeof state === 'string' && Buffer.from(state, 'base64').toString('utf8').startsWith(markOf(owner));
