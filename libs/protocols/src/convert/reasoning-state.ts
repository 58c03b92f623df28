import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Protocol, PROTOCOLS } from '@tollgate/vocabulary';
import { z } from 'zod';
import { parseJson } from '../json.ts';
import type { ReasoningState } from '../neutral/request.ts';

/**
 * Carries one vendor's reasoning state in another's slot. What comes back changed, or was not made here, is not
 * opened: it is nothing that an upstream should see.
 */
export interface StateWrapper {
  wrap(states: readonly ReasoningState[]): string;
  /** The states in a wrapped text; null when it is none of ours (then it is the vendor's own), [] when it was changed. */
  unwrap(text: string): ReasoningState[] | null;
}

const PREFIX = 'tg1';

const stateSchema = z.object({
  format: z.enum(PROTOCOLS),
  kind: z.enum(['signed', 'redacted']),
  data: z.string(),
  id: z.string().optional(),
  text: z.string().optional(),
  place: z.string().optional(),
});

/** What a client of a format keeps: its own vendor's state as it is, everything else wrapped. */
export function keptState(
  states: readonly ReasoningState[],
  format: Protocol,
  wrapper: Pick<StateWrapper, 'wrap'>,
): string {
  const [only] = states;
  return states.length === 1 && only?.format === format ? only.data : wrapper.wrap(states);
}

/**
 * @param key any secret that all gateways share.
 * @param others keys that it was, or will be: what they wrapped is opened too.
 */
export function createStateWrapper(key: Buffer, others: readonly Buffer[] = []): StateWrapper {
  const macKeyOf = (each: Buffer) => createHmac('sha256', each).update('tollgate reasoning state').digest();
  const ours = macKeyOf(key);
  const macKeys = [ours, ...others.map(macKeyOf)];
  const sealed = (payload: string, macKey: Buffer) => {
    const mac = createHmac('sha256', macKey).update(payload).digest().subarray(0, 16);
    return `${PREFIX}.${payload}.${mac.toString('base64url')}`;
  };
  return {
    wrap(states) {
      const payload = Buffer.from(JSON.stringify(states)).toString('base64url');
      return sealed(payload, ours);
    },
    unwrap(text) {
      const [prefix, payload] = text.split('.');
      if (prefix !== PREFIX || payload === undefined) return null;
      const given = Buffer.from(text);
      const isMadeWith = (macKey: Buffer) => {
        const right = Buffer.from(sealed(payload, macKey));
        return given.length === right.length && timingSafeEqual(given, right);
      };
      if (!macKeys.some(isMadeWith)) return [];
      const parsed = z
        .array(stateSchema)
        .safeParse(parseJson(Buffer.from(payload, 'base64url').toString('utf8')));
      return parsed.success ? (parsed.data as ReasoningState[]) : [];
    },
  };
}
