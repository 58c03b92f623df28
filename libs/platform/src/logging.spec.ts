import { PassThrough } from 'node:stream';
import { QueryFailedError } from 'typeorm';
import { createLogger, type Logger, nestLogger } from './logging.ts';

let lines: Record<string, unknown>[];
let text: string;
let logger: Logger;

function listen(level: string): void {
  lines = [];
  text = '';
  const stream = new PassThrough({ encoding: 'utf8' });
  stream.on('data', (line: string) => {
    text += line;
    lines.push(JSON.parse(line) as Record<string, unknown>);
  });
  logger = createLogger('billing', level, stream);
}
beforeEach(() => listen('trace'));

test('writes one JSON object a line with the service, the time and the message', () => {
  logger.info({ account: 'a1' }, 'posted');
  logger.warn('late');
  expect(text.split('\n')).toHaveLength(3);
  expect(lines).toMatchObject([
    { service: 'billing', level: 30, account: 'a1', msg: 'posted' },
    { service: 'billing', level: 40, msg: 'late' },
  ]);
  expect(new Date(String(lines[0]?.['time'])).toISOString()).toBe(lines[0]?.['time']);
});

test('says nothing below its level', () => {
  listen('warn');
  logger.info('chatter');
  logger.error('trouble');
  expect(lines.map(({ msg }) => msg)).toEqual(['trouble']);
});

const SECRET = 'sk-very-secret';

test.each([
  ['authorization', { authorization: SECRET }],
  ['cookie', { cookie: SECRET }],
  ['password', { password: SECRET }],
  ['api_key', { api_key: SECRET }],
  ['credential', { credential: SECRET }],
  ['secret', { secret: SECRET }],
  ['the authorization header', { headers: { authorization: SECRET } }],
  ['the cookie header', { headers: { cookie: SECRET } }],
  ['the set-cookie header', { headers: { 'set-cookie': SECRET } }],
  ['the x-api-key header', { headers: { 'x-api-key': SECRET } }],
  ['the x-goog-api-key header', { headers: { 'x-goog-api-key': SECRET } }],
  ['an x-api-key header by itself', { 'x-api-key': SECRET }],
  ['the authorization of an upstream request', { upstream: { headers: { authorization: SECRET } } }],
  ['the password of a user', { user: { password: SECRET } }],
  ['the credential of a route', { route: { credential: SECRET } }],
  ['the api_key of a config', { config: { api_key: SECRET } }],
  ['every header of a request', { req: { headers: { 'x-anything': SECRET } } }],
])('%s never reaches the log', (_name, fields) => {
  logger.info({ ...fields, kept: 'visible' }, 'a message');
  expect(text).not.toContain(SECRET);
  expect(text).toContain('[redacted]');
  expect(lines[0]?.['kept']).toBe('visible');
});

test('secrets stay out of the lines of a child logger too', () => {
  logger.child({ password: SECRET }).info({ user: { cookie: SECRET } }, 'a message');
  expect(lines).toHaveLength(1);
  expect(text).not.toContain(SECRET);
});

test('of an error of the database the statement is told, and no value of it or of a row', () => {
  const refused = Object.assign(new Error('violates a check'), {
    code: '23514',
    detail: `Failing row contains (${SECRET}).`,
  });
  const err = new QueryFailedError('UPDATE person SET password = $1', [SECRET], refused);
  logger.error({ err }, 'a request failed');
  logger.error(err);
  expect(text).not.toContain(SECRET);
  expect(lines).toHaveLength(2);
  for (const line of lines)
    expect(line['err']).toMatchObject({
      type: 'QueryFailedError',
      message: 'violates a check',
      code: '23514',
      query: 'UPDATE person SET password = $1',
      stack: expect.stringContaining('logging.spec.ts') as string,
    });
});

test('what is thrown and is no error is told as it is', () => {
  logger.error({ err: 'thrown' }, 'a request failed');
  expect(lines).toMatchObject([{ err: 'thrown' }]);
});

test("Nest's messages keep their meaning, and its start-up chatter is for debugging", () => {
  const nest = nestLogger(logger);
  nest.log('Mapped {/a, GET} route', 'RouterExplorer');
  nest.warn('odd', 'Scanner');
  nest.error('broken', 'the stack', 'Handler');
  nest.debug?.('details', 'Handler');
  nest.verbose?.('more details', 'Handler');
  expect(lines).toMatchObject([
    { level: 20, context: 'RouterExplorer', msg: 'Mapped {/a, GET} route' },
    { level: 40, context: 'Scanner', msg: 'odd' },
    { level: 50, context: 'Handler', detail: 'the stack', msg: 'broken' },
    { level: 20, context: 'Handler', msg: 'details' },
    { level: 10, context: 'Handler', msg: 'more details' },
  ]);
});
