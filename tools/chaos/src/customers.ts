import { randomUUID } from 'node:crypto';
import type { accounts, AnswerOf, keys } from '@tollgate/api';
import type { Customer } from './evidence.ts';
import type { Sender } from './load.ts';

export interface ChaosCustomer {
  readonly customer: Customer;
  readonly sender: Sender;
}

/** Calls the admin API as the owner. @throws for any answer that is no success. */
export interface OwnerApi {
  call<T>(method: string, path: string, body?: object): Promise<T>;
}

const PICO_IN_CENT = 10_000_000_000n;
const cents = (count: number): string => `${Math.floor(count / 100)}.${String(count % 100).padStart(2, '0')}`;

export async function signInOwner(
  baseUrl: string,
  owner: { readonly email: string; readonly password: string },
): Promise<OwnerApi> {
  const signedIn = await fetch(`${baseUrl}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(owner),
  });
  if (!signedIn.ok) throw new Error(`the owner could not sign in: ${signedIn.status}`);
  const cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  return {
    async call<T>(method: string, path: string, body?: object): Promise<T> {
      const answer = await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          cookie,
          'idempotency-key': randomUUID(),
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: AbortSignal.timeout(10_000),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
      return JSON.parse(text === '' ? '{}' : text) as T;
    },
  };
}

interface CustomerParams {
  readonly name: string;
  readonly share: number;
  readonly manner: Sender['manner'];
  readonly group?: string;
  /** Cents of credit that the account is given. */
  readonly prepaid?: number;
  /** Cents that the key may spend. */
  readonly budget?: number;
}

/** Every way in which one can pay, and in which one can behave. What is limited runs out in the middle of a run. */
const listCustomers = (seconds: number): readonly CustomerParams[] => [
  { name: 'open', share: 40, manner: 'stay' },
  { name: 'vip', share: 15, manner: 'stay', group: 'vip' },
  { name: 'prepaid', share: 15, manner: 'stay', prepaid: Math.max(2, Math.ceil(seconds / 15)) },
  { name: 'budgeted', share: 10, manner: 'stay', budget: Math.max(1, Math.ceil(seconds / 20)) },
  { name: 'leaving', share: 10, manner: 'leave' },
  { name: 'leaving and prepaid', share: 5, manner: 'leave', prepaid: 500 },
  { name: 'duplicates', share: 5, manner: 'duplicates' },
];

/** Opens the accounts of a run, each with one key. */
export const openCustomers = (owner: OwnerApi, seconds: number): Promise<readonly ChaosCustomer[]> =>
  Promise.all(listCustomers(seconds).map((params) => open(owner, params)));

async function open(owner: OwnerApi, params: CustomerParams): Promise<ChaosCustomer> {
  const { name, share, manner, group = 'default', prepaid, budget } = params;
  const mode = prepaid === undefined ? 'open' : 'prepaid';
  const { id: accountId } = await owner.call<AnswerOf<typeof accounts.createAccount>>(
    'POST',
    '/api/accounts',
    { name, mode: mode === 'open' ? 'postpaid' : 'prepaid' },
  );
  if (prepaid !== undefined)
    await owner.call('POST', '/api/ledger/grants', {
      account_id: accountId,
      amount_usd: cents(prepaid),
      reason: 'Credit for a run of chaos',
    });
  const { id: keyId, key } = await owner.call<AnswerOf<typeof keys.createKey>>('POST', '/api/keys', {
    name,
    group,
    account_id: accountId,
    ...(budget === undefined ? {} : { budgets: { total_usd: cents(budget) } }),
  });
  return {
    customer: {
      name,
      accountId,
      keyId,
      group,
      mode,
      budget: budget === undefined ? undefined : BigInt(budget) * PICO_IN_CENT,
    },
    sender: { name, key, share, manner },
  };
}

const CHANGED = ['sim-chat', 'sim-claude', 'sim-responses', 'sim-gemini'];
const VENDORS: Readonly<Record<string, string>> = {
  'sim-chat': 'openai',
  'sim-claude': 'anthropic',
  'sim-responses': 'openai',
  'sim-gemini': 'google',
};

/** Publishes other prices, or another ratio of a group, with digits that must be rounded. Whether it was taken is seen later. */
export async function changePrices(owner: OwnerApi, turn: number): Promise<void> {
  const model = CHANGED[turn % CHANGED.length] ?? 'sim-chat';
  if (turn % 3 === 2) {
    await owner.call('PUT', '/api/catalogue/groups/vip', {
      ratio: `0.${70_000_001 + turn * 7_919}`,
      models: ['*'],
    });
    return;
  }
  await owner.call('PUT', `/api/catalogue/models/${model}`, {
    vendor: VENDORS[model],
    prices: {
      input: 2_500_003 + turn * 1_009,
      cache_read: 250_007 + turn,
      output: 10_000_019 + turn * 3_001,
    },
    tiers: [{ above_input_tokens: 60, prices: { input: 5_000_011 + turn, output: 15_000_017 + turn } }],
    request_price: turn % 2,
    context_window: 200_000,
    max_output_tokens: 64_000,
  });
}
