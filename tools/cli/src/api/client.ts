import { type AnswerOf, type BodyOf, isFileAnswer, type Route, signIn } from '@tollgate/api';
import { z } from 'zod';
import { Failure, toReason } from '../failure.ts';
import { askFor, type Io } from '../io.ts';
import { refusal } from './refusal.ts';

interface RequestTo<R extends Route> {
  /** What the path names. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyOf<R>;
}

/** A signed-in person's way to the HTTP API of a Tollgate. */
export interface Api {
  /** The answer of a route, as the contract has it. @throws Failure for a refusal, and for an answer of another shape. */
  ask<R extends Route>(route: R, request?: RequestTo<R>): Promise<AnswerOf<R>>;
  /** An answer with any success, its body unread. @throws Failure */
  open<R extends Route>(route: R, request?: RequestTo<R>): Promise<Response>;
}

const SIGN_IN =
  'Set TOLLGATE_EMAIL and TOLLGATE_PASSWORD, or TOLLGATE_SESSION to the cookie of a session that you have.';

/** Where the API is: TOLLGATE_URL, without a slash at its end. @throws Failure */
function baseUrl({ env }: Pick<Io, 'env'>): string {
  const text = env['TOLLGATE_URL'];
  if (!text) throw new Failure('TOLLGATE_URL is not set.', 'Set it to the base URL of your Tollgate.');
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new Failure(`TOLLGATE_URL is no address: ${text}`, 'It looks like https://tollgate.example.');
  return text.replace(/\/+$/, '');
}

/**
 * Signs in as the environment says, lets work be done, and signs out again. A session that was given is left alone.
 *
 * @throws Failure when nobody can be signed in.
 */
export async function withApi<T>(io: Pick<Io, 'env' | 'stdin'>, work: (api: Api) => Promise<T>): Promise<T> {
  const url = baseUrl(io);
  const given = io.env['TOLLGATE_SESSION'];
  if (given) return work(apiAt(url, given.includes('=') ? given : `${cookieNameAt(url)}=${given}`));
  const { TOLLGATE_EMAIL: email, TOLLGATE_PASSWORD: password } = io.env;
  if (!email || !password) throw new Failure('Nobody is signed in.', SIGN_IN);
  const answer = await apiAt(url, '').open(signIn.signIn, { body: { email, password } });
  const api = apiAt(url, await secondStep(io, url, answer));
  try {
    return await work(api);
  } finally {
    await api.open(signIn.signOut).catch(() => undefined);
  }
}

/** Over https a browser has the session's cookie under another name. */
const cookieNameAt = (url: string): string =>
  url.startsWith('https:') ? '__Host-tollgate_session' : 'tollgate_session';

/** The cookie of the session, once the second factor is shown where one is wanted. */
async function secondStep(io: Pick<Io, 'env' | 'stdin'>, url: string, answer: Response): Promise<string> {
  const cookie = cookieOf(answer);
  if (answer.status !== 202) return cookie;
  // Whoever asks for the second step is told the same.
  const { second_factor: kind, methods } = await readAnswer(signIn.getSecondStep, answer);
  if (kind === 'enrol')
    throw new Failure(
      'Your role needs a second factor, and you have none.',
      'Sign in to the console to add one.',
    );
  if (!methods.includes('totp') && !methods.includes('recovery_code'))
    throw new Failure(
      'Your second factor is a passkey, which a terminal cannot ask for.',
      'Add an authenticator app in the console, or set TOLLGATE_SESSION.',
    );
  const code =
    io.env['TOLLGATE_CODE'] ?? (await askFor(io, 'Code of your authenticator app, or a recovery code: '));
  if (!code)
    throw new Failure('Your second factor is wanted.', 'Set TOLLGATE_CODE to the code that your app shows.');
  return cookieOf(await apiAt(url, cookie).open(signIn.showCode, { body: { code } }));
}

const cookieOf = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');

function apiAt(url: string, cookie: string): Api {
  async function open<R extends Route>(route: R, request: RequestTo<R> = {}): Promise<Response> {
    const { body, headers = {} } = request;
    const answer = await fetch(`${url}${targetOf(route, request)}`, {
      method: route.method,
      headers: { cookie, ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }).catch((error: Error) => {
      throw new Failure(
        `${url} does not answer: ${toReason(error)}`,
        'Is that the right TOLLGATE_URL, and does it run?',
      );
    });
    if (!answer.ok) throw await refusal(answer, SIGN_IN);
    return answer;
  }
  return { open, ask: async (route, request) => readAnswer(route, await open(route, request)) };
}

/** Path and query of a request. */
function targetOf(
  { path }: Route,
  { params = {}, query = {} }: Pick<RequestTo<Route>, 'params' | 'query'>,
): string {
  const named = path.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? named : `${named}?${search.toString()}`;
}

/** @throws Failure for an answer of another shape than the route's. */
async function readAnswer<R extends Route>(route: R, answer: Response): Promise<AnswerOf<R>> {
  const schema = isFileAnswer(route.answer) ? route.answer.schema : route.answer;
  const parsed = (schema ?? z.never()).safeParse(await answer.json().catch(() => undefined));
  if (parsed.success) return parsed.data as AnswerOf<R>;
  throw new Failure(
    `${answer.url} answered what this command does not know: ${z.prettifyError(parsed.error)}`,
    'Are both of the same version?',
  );
}
