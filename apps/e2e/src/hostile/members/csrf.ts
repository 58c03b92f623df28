// Proves: another site cannot use a browser's session, whatever it sends, and a session is nothing but the cookie that we
// gave; one that is forged, cut, doubled or planted opens nothing.
import { type HostileArea, type HostileCase, must } from '../area.ts';
import { addPerson } from '../hostile-stack.ts';

const FOREIGN_ORIGINS = (own: string): Readonly<Record<string, string>> => ({
  'another site': 'https://evil.example',
  'no origin that can be named': 'null',
  'an empty one': '',
  'ours as a beginning': `${own}.evil.example`,
  'ours as a user': `${own}@evil.example`,
  'another port': own.replace(/:\d+$/, ':1'),
  'another scheme altogether': 'file://',
  'two of them': `${own}, https://evil.example`,
  'ours in a path': `https://evil.example/${own}`,
});

/** What a form of another site can send without being asked first. */
const FORM_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain; application/json',
  'application/jsonp',
  '',
];

/** How another site could make a browser begin a sign-in with a provider. */
const FOREIGN_STARTS: readonly (readonly [how: string, method: string, headers: Record<string, string>])[] = [
  ['a link', 'GET', {}],
  ['a form', 'POST', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['a form of text', 'POST', { 'content-type': 'text/plain' }],
  ['a script', 'POST', { 'content-type': 'application/json', origin: 'https://evil.example' }],
  ['a frame without an origin', 'POST', { 'content-type': 'application/json', origin: 'null' }],
];

const FORGED = (cookie: string): Readonly<Record<string, string>> => {
  const [name = '', value = ''] = cookie.split('=');
  const [id = '', signature = ''] = value.split('.');
  return {
    'no value': `${name}=`,
    'no signature': `${name}=${id}`,
    'an empty signature': `${name}=${id}.`,
    'another signature': `${name}=${id}.${signature.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))}`,
    'another id': `${name}=${id.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}.${signature}`,
    'the name in other letters': `${name.toUpperCase()}=${value}`,
    'a prefix of it': `${name}=${value.slice(0, 20)}`,
    'an SQL text': `${name}=' OR 1=1 --`,
    'a long one': `${name}=${'a'.repeat(7_000)}`,
    'a null': `${name}=%00`,
    'a JSON text': `${name}={"user":"owner"}`,
    'an object of another framework': `${name}=j:{"id":1}`,
  };
};

export const csrf: HostileArea = {
  name: 'members/csrf',
  proves: 'a session is used by its own browser on our own pages only',
  async cases({ at, accountId, people, send }) {
    const { cookie } = people.member;
    const body = { name: 'From another site' };
    const keysOf = async () => {
      const { text } = await send('/api/keys', { headers: { cookie } });
      return text;
    };
    const { cookie: spare } = await addPerson(at, accountId, 'member');
    return [
      ...Object.entries(FOREIGN_ORIGINS(new URL(at.baseUrl).origin)).flatMap(
        ([name, origin]): HostileCase[] =>
          (['POST', 'PATCH', 'DELETE'] as const).map((method) => ({
            name: `${method} from ${name}`,
            async run() {
              const path = method === 'POST' ? '/api/keys' : '/api/auth/profile';
              const path_ = method === 'DELETE' ? '/api/auth/sessions' : path;
              const got = await send(path_, {
                method,
                headers: { cookie: spare, origin },
                ...(method === 'DELETE' ? {} : { body }),
              });
              must(got.status === 403 || got.status === 400, () => `${got.status} ${got.text.slice(0, 200)}`);
            },
          })),
      ),
      ...FORM_TYPES.map((type): HostileCase => ({
        name: `a form of the type "${type}"`,
        async run() {
          const got = await send('/api/keys', {
            method: 'POST',
            headers: { cookie, 'content-type': type },
            body: JSON.stringify({ name: 'From a form' }),
          });
          must([400, 403, 415].includes(got.status), () => `${got.status} ${got.text.slice(0, 200)}`);
          must(!(await keysOf()).includes('From a form'), () => 'a key was made');
        },
      })),
      ...['x-http-method-override', 'x-http-method', 'x-method-override'].map((name): HostileCase => ({
        name: `a GET that claims to be a DELETE by ${name}`,
        async run() {
          const got = await send('/api/auth/sessions', { headers: { cookie, [name]: 'DELETE' } });
          must(got.status === 200, () => `answered ${got.status}`);
          must(
            (await send('/api/auth/session', { headers: { cookie } })).status === 200,
            () => 'the session is gone',
          );
        },
      })),
      ...['https://evil.example', 'null'].map((origin): HostileCase => ({
        name: `pages of ${origin} may not read answers`,
        async run() {
          const asked = await send('/api/usage', {
            method: 'OPTIONS',
            headers: { origin, 'access-control-request-method': 'GET' },
          });
          const got = await send('/api/usage', { headers: { cookie, origin } });
          for (const { headers } of [asked, got])
            must(headers['access-control-allow-origin'] === undefined, () => 'other sites are let in');
        },
      })),
      ...Object.entries(FORGED(cookie)).map(([name, forged]): HostileCase => ({
        name: `a forged session: ${name}`,
        async run() {
          const { status, text } = await send('/api/keys', { headers: { cookie: forged } });
          must(status === 401 || status === 400 || status === 431, () => `${status} ${text.slice(0, 200)}`);
        },
      })),
      ...FOREIGN_STARTS.map(([how, method, headers]): HostileCase => ({
        name: `a sign-in with a provider that ${how} of another site begins`,
        async run() {
          const got = await send('/api/auth/oidc/start?next=/', {
            method,
            headers: { ...headers, cookie },
            ...(method === 'POST' ? { body: '{}' } : {}),
          });
          must(got.status >= 400 && got.status < 500, () => `${got.status} ${got.text.slice(0, 200)}`);
          const set = String(got.headers['set-cookie'] ?? cookie);
          const isKept = decodeURIComponent(set).includes(decodeURIComponent(cookie));
          must(isKept, () => `it changes the session to ${set}`);
          const { status } = await send('/api/auth/session', { headers: { cookie } });
          must(status === 200, () => 'the session is gone');
        },
      })),
      {
        name: 'a session that was planted before the sign-in is not the one after it',
        async run() {
          const planted = cookie.replace(/=.*/, '=planted.value');
          const got = await send('/api/auth/login', {
            headers: { cookie: planted },
            body: { email: 'nobody@e2e.example', password: 'wrong wrong wrong' },
          });
          must(
            !String(got.headers['set-cookie'] ?? '').includes('planted'),
            () => 'the planted session is kept',
          );
        },
      },
    ];
  },
};
