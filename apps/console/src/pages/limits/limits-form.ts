import type { CommonLimits, RateLimit } from '../../api/catalogue.ts';
import { type Protocol, PROTOCOLS } from '@tollgate/vocabulary';
import { hasLimits, type LimitForm, limitFormOf, limitOf } from './limit-form.ts';

/** Whose limits the page has: each client address, each key, and everybody on the routes of a protocol. */
export type Holder = 'client' | 'key' | Protocol;

/** The limits that hold for everybody, as the page holds them. */
export type LimitsForm = Readonly<Record<Holder, LimitForm>>;

export const limitsFormOf = ({ client, key, route }: CommonLimits): LimitsForm => ({
  client: limitFormOf(client),
  key: limitFormOf(key),
  'openai-chat': limitFormOf(route['openai-chat']),
  'openai-responses': limitFormOf(route['openai-responses']),
  'anthropic-messages': limitFormOf(route['anthropic-messages']),
  gemini: limitFormOf(route['gemini']),
});

/** The limits as the relay takes them: routes without any are left out. */
export const limitsOf = (form: LimitsForm): CommonLimits => ({
  client: limitOf(form.client),
  key: limitOf(form.key),
  route: Object.fromEntries(
    PROTOCOLS.map((protocol): [Protocol, RateLimit] => [protocol, limitOf(form[protocol])]).filter(
      ([, limit]) => hasLimits(limit),
    ),
  ),
});

/** Whether two forms state the same, however their fields came to say so. */
export const isSame = (a: LimitsForm, b: LimitsForm): boolean =>
  JSON.stringify(limitsOf(a)) === JSON.stringify(limitsOf(b));
