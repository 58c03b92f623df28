import { type CreditScope, parseCreditScope } from '@tollgate/contracts';
import type { Admission, CreditRefusal } from '@tollgate/limits';
import { formatUsd, PICO_PER_MICRO_USD } from '@tollgate/money';

type RateRefusal = Extract<Admission, { admitted: false }>;
type Insufficient = Extract<CreditRefusal, { credit: 'insufficient' }>;

const OWNER = {
  client: 'your address',
  key: 'this API key',
  account: 'this account',
  group: 'the group of this API key',
  model: 'this model',
  route: 'this endpoint',
  upstream: 'the upstream',
  credential: 'the credential of the upstream',
};

/** Which limit is reached and how long to wait. */
export function explainRate(refused: RateRefusal): string {
  const seconds = Math.max(1, Math.ceil(refused.retryAfterMs / 1_000));
  const figure =
    refused.unit === 'concurrent'
      ? `${refused.limit} requests at once`
      : `${refused.limit} ${refused.unit.replaceAll('_', ' ')} per minute`;
  return `The limit of ${figure} for ${OWNER[refused.dimension]} is reached. Try again in ${seconds} s.`;
}

/** What the request may cost, what there is of it, and what to do. */
export function explainCredit({ scope, left, held }: Insufficient, neededMicro: number): string {
  const { name, remedy } = describeScope(scope);
  const free = Math.max(0, left - held);
  const underWay = held > 0 ? ` (another ${usd(held)} USD is held for requests under way)` : '';
  return `This request may cost up to ${usd(neededMicro)} USD, and ${name} has ${usd(free)} USD left${underWay}. Lower the request's maximum of output tokens, or ${remedy}.`;
}

/** There is nothing left, whatever a request may cost. */
export function explainEmpty(scope: CreditScope): string {
  const { name, remedy } = describeScope(scope);
  return `No request can be paid for: ${name} has 0 USD left. To go on, ${remedy}.`;
}

const usd = (micro: number): string => formatUsd(BigInt(micro) * PICO_PER_MICRO_USD);

function describeScope(scope: CreditScope): { name: string; remedy: string } {
  const parsed = parseCreditScope(scope);
  if (parsed?.kind !== 'key') return { name: 'the account', remedy: 'top up the account' };
  const raise = 'raise the budget of the key';
  switch (parsed.window) {
    case 'total':
      return { name: 'the budget of this API key', remedy: raise };
    case 'daily':
      return { name: 'the daily budget of this API key', remedy: `${raise}, or wait for the next day` };
    case 'monthly':
      return { name: 'the monthly budget of this API key', remedy: `${raise}, or wait for the next month` };
  }
}
