import { randomBytes, randomUUID } from 'node:crypto';
import { admin, type TestStack, type MadeKey, makeKey } from '../shared-stack.ts';
import type { Control } from './control.ts';
import { type Got, send, type Sent } from './send.ts';

const HOSTILE_ROLES = ['member', 'finance', 'admin'] as const;
export type HostileRole = (typeof HOSTILE_ROLES)[number];

interface HostilePerson {
  readonly id: string;
  readonly email: string;
  readonly cookie: string;
}

/** A customer who is attacked: nothing of what is said of it may reach anybody else. */
interface Victim {
  readonly accountId: string;
  readonly personId: string;
  readonly inviteId: string;
  readonly key: MadeKey;
  readonly balance: string;
  /** Texts that stand in what belongs to it, and nowhere else. */
  readonly marks: readonly string[];
}

/** The stack as those meet it who mean no good. */
export interface HostileStack {
  readonly at: TestStack;
  /** Everything is sent from here, not to use up what the other tests may try. */
  readonly from: string;
  readonly victim: Victim;
  /** The attackers' own account, with 5 USD and a key. */
  readonly accountId: string;
  readonly key: MadeKey;
  readonly people: Readonly<Record<HostileRole, HostilePerson>>;
  /** What must never stand in a log. */
  readonly secrets: readonly string[];
  /** A request to the front door from that address. */
  readonly send: (path: string, sent?: Sent) => Promise<Got>;
  /** Where the stack is nobody else's. */
  readonly control?: Control;
}

const CREDIT = '5';

/** Makes the victim and those who attack it in a stack that runs. */
export async function openHostileStack(at: TestStack, from = '127.9.0.1'): Promise<HostileStack> {
  const mark = `victim-${randomBytes(6).toString('hex')}`;
  const victimAccount = await admin(at, 'POST', '/api/accounts', {
    name: mark,
    mode: 'prepaid',
  });
  const victimPerson = await addPerson(at, victimAccount.id, 'member', mark);
  const invite = await admin(at, 'POST', `/api/accounts/${victimAccount.id}/invites`, {
    email: `${mark}-invited@e2e.example`,
    role: 'member',
  });
  await grant(at, victimAccount.id, '7.77');
  const victimKey = await makeKey(at, { name: mark, account_id: victimAccount.id });

  const account = await admin(at, 'POST', '/api/accounts', {
    name: 'hostile',
    mode: 'prepaid',
  });
  await grant(at, account.id, CREDIT);
  const key = await makeKey(at, { name: 'hostile', account_id: account.id });
  const [member, finance, boss] = await Promise.all(
    HOSTILE_ROLES.map((role) =>
      addPerson(at, account.id, role, `hostile-${role}-${randomBytes(4).toString('hex')}`),
    ),
  );
  if (!member || !finance || !boss) throw new Error('the people of the hostile suite are missing');
  const people = { member, finance, admin: boss };
  return {
    at,
    from,
    victim: {
      accountId: victimAccount.id,
      personId: victimPerson.id,
      inviteId: invite.id,
      key: victimKey,
      balance: await readBalance(at, victimAccount.id),
      marks: [mark],
    },
    accountId: account.id,
    key,
    people,
    secrets: [
      victimKey.key,
      key.key,
      PASSWORD,
      ...Object.values(people).map(({ cookie }) => cookie.slice(cookie.indexOf('=') + 1)),
    ],
    send: (path, sent = {}) => send(at.baseUrl, path, { from, ...sent }),
  };
}

const PASSWORD = `nobody guesses ${randomBytes(9).toString('base64url')}`;

/** Somebody new in an account, with a session. */
export async function addPerson(
  at: TestStack,
  accountId: string,
  role: string,
  name: string = randomBytes(6).toString('hex'),
): Promise<HostilePerson> {
  const email = `${name}@e2e.example`;
  const { id } = await admin(at, 'POST', `/api/accounts/${accountId}/users`, {
    email,
    role,
    password: PASSWORD,
  });
  return { id, email, cookie: await signInAs(at, email) };
}

let address = 0;
/** From an address that nobody signed in from before: the tries of one are counted. */
async function signInAs(at: TestStack, email: string): Promise<string> {
  address += 1;
  const from = `127.9.${10 + Math.floor(address / 250)}.${1 + (address % 250)}`;
  const { status, headers, text } = await send(at.baseUrl, '/api/auth/login', {
    from,
    body: { email, password: PASSWORD },
  });
  if (status !== 200) throw new Error(`the sign-in of ${email} was answered ${status}: ${text}`);
  // The session's alone: what is forged, planted or looked for in logs is that one.
  const session = (headers['set-cookie'] ?? []).find((cookie) => cookie.startsWith('tollgate_session='));
  if (session === undefined) throw new Error(`the sign-in of ${email} began no session`);
  return session.split(';')[0] ?? '';
}

async function grant(at: TestStack, accountId: string, usd: string): Promise<void> {
  const { status, text } = await send(at.baseUrl, '/api/ledger/grants', {
    headers: { cookie: at.cookie, 'idempotency-key': randomUUID() },
    body: { account_id: accountId, amount_usd: usd, reason: 'Credit for the hostile suite' },
  });
  if (status >= 300) throw new Error(`the grant was answered ${status}: ${text}`);
}

/** A prepaid account with so much credit. */
export async function openAccount(at: TestStack, usd: string): Promise<string> {
  const { id } = await admin(at, 'POST', '/api/accounts', {
    name: 'hostile',
    mode: 'prepaid',
  });
  await grant(at, id, usd);
  return id;
}

export async function readBalance(at: TestStack, accountId: string): Promise<string> {
  const balance = await admin(at, 'GET', `/api/ledger/balance?account_id=${accountId}`);
  return String(balance['balance_usd']);
}
