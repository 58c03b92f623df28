import type { Session } from '@tollgate/contracts';
import { AccountEntity } from '../src/accounts/account.entity.ts';
import { UserEntity } from '../src/accounts/user.entity.ts';
import { uuidv7 } from '../src/accounts/uuid.ts';
import { PASSWORD, PASSWORD_HASH, type TestEnvironment } from './test-environment.ts';

/** A person of an account, without one of an account of their own. */
export async function addPerson(
  { database }: Pick<TestEnvironment, 'database'>,
  email: string,
  role: Session['role'],
  accountId = uuidv7(),
): Promise<Session> {
  const account = { id: accountId, name: `Account of ${email}`, status: 'active' as const };
  if (!(await database.getRepository(AccountEntity).existsBy({ id: accountId })))
    await database.getRepository(AccountEntity).insert(account);
  const user = {
    id: uuidv7(),
    accountId,
    email,
    role,
    passwordHash: PASSWORD_HASH,
  };
  await database.getRepository(UserEntity).insert(user);
  return { user_id: user.id, account_id: accountId, email, role };
}

let clients = 0;

/** Each comes from an address of its own where the service trusts what is said of that: none uses up another's tries. */
export const logIn = (
  url: string,
  email: string,
  password: string = PASSWORD,
  cookie = '',
): Promise<Response> =>
  fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: {
      cookie,
      'content-type': 'application/json',
      'x-forwarded-for': `192.0.2.${(clients = (clients + 1) % 255)}`,
    },
    body: JSON.stringify({ email, password }),
  });

export const readCookie = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');

/** Of an answer's cookies the one of that name, as a browser sends it. */
export const cookieNamed = (answer: Response, name: string): string =>
  readCookie(answer)
    .split('; ')
    .find((cookie) => cookie.startsWith(`${name}=`)) ?? '';

/** The Cookie header of a new session. */
export async function signIn(url: string, email: string): Promise<string> {
  const answer = await logIn(url, email);
  if (!answer.ok) throw new Error(`sign-in failed with ${answer.status}: ${await answer.text()}`);
  return readCookie(answer);
}

export interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

/** Calls the JSON API with a session; an answer without a body counts as null. */
export async function call<T = Record<string, unknown>>(
  at: { readonly url: string; readonly cookie: string },
  method: string,
  path: string,
  body?: object,
): Promise<Answer<T>> {
  const answer = await fetch(`${at.url}${path}`, {
    method,
    headers: { cookie: at.cookie, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  return { status: answer.status, body: (text === '' ? null : JSON.parse(text)) as T };
}
