import type { AnswerOf, keys } from '@tollgate/api';
import { waitFor } from '@tollgate/harness';
import type { AnswerTo } from './answer-to.ts';
import { sendFrom } from './guards/from-address.ts';

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

export const signIn = (baseUrl: string, admin: { email: string; password: string }): Promise<string> =>
  openSession(baseUrl, '/api/auth/login', admin);

let signIns = 0;

/** Of the loopback network: one that no worker has signed in from. An address has ten tries a minute. */
function nextAddress(): string {
  signIns += 1;
  return `127.${100 + Number(process.env['TEST_WORKER'] ?? 0)}.${signIns >> 8}.${signIns & 255}`;
}

/** Asks for a session from an address of its own, and answers its Cookie header. */
export async function openSession(
  baseUrl: string,
  path: '/api/auth/login' | '/api/links/use',
  body: object,
): Promise<string> {
  const { status, headers, text } = await sendFrom(nextAddress(), `${baseUrl}${path}`, { body });
  if (status >= 300) throw new Error(`${path} failed with ${status}: ${text}`);
  return [headers['set-cookie'] ?? []]
    .flat()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

/** Calls the admin API with a session; the contract types what it answers. @throws for any answer that is no success. */
export async function admin<Method extends string, Path extends string>(
  at: Pick<TestStack, 'baseUrl' | 'cookie'>,
  method: Method,
  path: Path,
  body?: object,
): Promise<AnswerTo<Method, Path>> {
  const { status, text } = await waitFor(async () => {
    const answer = await fetch(`${at.baseUrl}${path}`, {
      method,
      headers: { cookie: at.cookie, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const said = await answer.text();
    // A service that could not ask another while the machine stood still has done nothing.
    return answer.status === 503 && said.includes('"service_busy"')
      ? false
      : { status: answer.status, text: said };
  }, `an answer of ${method} ${path}`);
  if (status < 200 || status > 299) throw new Error(`${method} ${path} answered ${status}: ${text}`);
  return (text === '' ? {} : JSON.parse(text)) as AnswerTo<Method, Path>;
}

export type MadeKey = AnswerOf<typeof keys.createKey>;

export const makeKey = (at: Pick<TestStack, 'baseUrl' | 'cookie'>, params: object = {}): Promise<MadeKey> =>
  admin(at, 'POST', '/api/keys', { name: 'end to end', ...params });
