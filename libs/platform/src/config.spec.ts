import {
  ConfigError,
  databaseUrl,
  httpUrl,
  loadConfig,
  port,
  redisUrl,
  serviceConfigSchema,
  tcpUrl,
} from './config.ts';
import { sealKey } from './sealing.ts';

const schema = serviceConfigSchema.extend({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  PRICING_TCP_URL: tcpUrl,
  PRICING_HTTP_URL: httpUrl,
  SEAL_KEY: sealKey,
});
const complete = {
  PORT: '4000',
  DATABASE_URL: 'postgres://user:secret@127.0.0.1:5432/tollgate',
  REDIS_URL: 'redis://127.0.0.1:6379',
  PRICING_TCP_URL: 'tcp://127.0.0.1:4100',
  PRICING_HTTP_URL: 'http://127.0.0.1:4101/',
  SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
};

function complaintAbout(env: Record<string, string | undefined>): string {
  try {
    loadConfig(schema, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

test('reads a complete environment and fills in what has a default', () => {
  expect(loadConfig(schema, { ...complete, UNRELATED: 'x' })).toEqual({
    HOST: '127.0.0.1',
    PORT: 4_000,
    LOG_LEVEL: 'info',
    OTEL_TRACES_SAMPLER_ARG: 1,
    SHUTDOWN_GRACE_S: 30,
    TRUSTED_PROXIES: [],
    METRICS_FROM: ['127.0.0.0/8', '::1'],
    DATABASE_URL: complete.DATABASE_URL,
    REDIS_URL: complete.REDIS_URL,
    PRICING_TCP_URL: complete.PRICING_TCP_URL,
    PRICING_HTTP_URL: 'http://127.0.0.1:4101',
    SEAL_KEY: Buffer.alloc(32, 7),
  });
});

test('an empty variable is as good as none: the default holds', () => {
  const config = loadConfig(schema, { ...complete, LOG_LEVEL: '', SHUTDOWN_GRACE_S: ' ' });
  expect([config.LOG_LEVEL, config.SHUTDOWN_GRACE_S]).toEqual(['info', 30]);
});

test('an empty variable without a default is missing', () => {
  expect(complaintAbout({ ...complete, REDIS_URL: '' })).toContain('REDIS_URL');
});

test('splits the trusted proxies and drops white space', () => {
  expect(loadConfig(schema, { ...complete, TRUSTED_PROXIES: ' 10.0.0.0/8, ,::1 ' }).TRUSTED_PROXIES).toEqual([
    '10.0.0.0/8',
    '::1',
  ]);
});

test('every variable that is missing is named in one message', () => {
  const lines = complaintAbout({}).split('\n').slice(1);
  for (const line of lines) expect(line).toMatch(/^ {2}[A-Z_]+: is not set$/);
  expect(lines.map((line) => line.trim().split(':')[0]).sort()).toEqual(Object.keys(complete).sort());
});

const wrong: [variable: string, value: string][] = [
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PORT', 'http'],
  ['PORT', '80.5'],
  ['LOG_LEVEL', 'loud'],
  ['HOST', '999.1.1.1'],
  ['HOST', 'not a name'],
  ['TRUSTED_PROXIES', 'load-balancer'],
  ['TRUSTED_PROXIES', '10.0.0.0/99'],
  ['SHUTDOWN_GRACE_S', 'soon'],
  ['SHUTDOWN_GRACE_S', '-5'],
  ['SHUTDOWN_GRACE_S', '-0.5'],
  ['SHUTDOWN_GRACE_S', '99999999'],
  ['DATABASE_URL', 'mysql://root:hunter2@db/tollgate'],
  ['REDIS_URL', 'http://:hunter2@redis:6379'],
  ['REDIS_URL', 'hunter2'],
  ['PRICING_TCP_URL', '127.0.0.1:4100'],
  ['PRICING_HTTP_URL', 'ftp://pricing-host'],
  ['SEAL_KEY', 'aHVudGVyMg=='],
];

test.each(wrong)('%s=%s is refused by name, without its value', (variable, value) => {
  const message = complaintAbout({ ...complete, [variable]: value });
  expect(message).toContain(`  ${variable}: `);
  expect(message.split('\n')).toHaveLength(2);
  expect(message).not.toContain(value);
});

test('all that is wrong is named at once', () => {
  const message = complaintAbout({ ...complete, ...Object.fromEntries(wrong) });
  for (const [variable] of wrong) expect(message).toContain(`  ${variable}: `);
  for (const [, value] of wrong.filter(([, each]) => each.length > 5)) expect(message).not.toContain(value);
});

test('a port is a whole number that TCP knows', () => {
  expect([port.parse('0'), port.parse('65535')]).toEqual([0, 65_535]);
});
