import { setTimeout as sleep } from 'node:timers/promises';

/** Where a stack of the end-to-end tests is reached, and what opens it. */
export interface TestStack {
  /** The front door. */
  readonly baseUrl: string;
  /** Every gateway, the front door first. */
  readonly gatewayUrls: readonly string[];
  readonly simulatorUrl: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Of the group `default`, without limits of its own. */
  readonly apiKey: string;
  readonly accountId: string;
  readonly home: string;
  /** The owner's session. */
  readonly cookie: string;
  /** The processes of its services. */
  readonly pids?: Readonly<Record<string, number>>;
  /** Where they listen. */
  readonly ports?: Readonly<Record<string, number>>;
}

export function sharedStack(): TestStack {
  const text = process.env['TOLLGATE_E2E'];
  if (!text)
    throw new Error(
      'TOLLGATE_E2E is not set: these tests run through Jest, whose global set-up starts the shared stack',
    );
  return JSON.parse(text) as TestStack;
}

/** Signs in and answers the Cookie header of the session. Where others have used up the tries, it waits for its own. */
export async function signIn(baseUrl: string, admin: { email: string; password: string }): Promise<string> {
  const answer = await fetch(`${baseUrl}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(admin),
  });
  if (answer.status === 429) {
    await sleep(Number(answer.headers.get('retry-after') ?? '1') * 1_000);
    return signIn(baseUrl, admin);
  }
  if (!answer.ok) throw new Error(`sign-in failed with ${answer.status}: ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

/** Calls the admin API with a session. @throws for any answer that is no success. */
export async function admin<T = Record<string, unknown>>(
  at: Pick<TestStack, 'baseUrl' | 'cookie'>,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const answer = await fetch(`${at.baseUrl}${path}`, {
    method,
    headers: { cookie: at.cookie, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  return (text === '' ? {} : JSON.parse(text)) as T;
}

export interface MadeKey {
  readonly key: string;
  readonly id: string;
}

export const makeKey = (at: Pick<TestStack, 'baseUrl' | 'cookie'>, params: object = {}): Promise<MadeKey> =>
  admin<MadeKey>(at, 'POST', '/api/keys', { name: 'end to end', ...params });
