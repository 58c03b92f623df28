import { parseRedisUrl } from './redis-url.ts';

const nobody = { username: undefined, password: undefined, tls: false };

test.each([
  ['redis://127.0.0.1:6379', { kind: 'server', url: 'redis://127.0.0.1:6379' }],
  ['rediss://u:p@redis.example/2', { kind: 'server', url: 'rediss://u:p@redis.example/2' }],
  [
    'redis-cluster://a:7000,b.example:7001,[::1]:7002',
    {
      kind: 'cluster',
      ...nobody,
      nodes: [
        { host: 'a', port: 7_000 },
        { host: 'b.example', port: 7_001 },
        { host: '::1', port: 7_002 },
      ],
    },
  ],
  [
    'rediss-cluster://:s%40fe@10.0.0.1',
    {
      kind: 'cluster',
      username: undefined,
      password: 's@fe',
      tls: true,
      nodes: [{ host: '10.0.0.1', port: 6_379 }],
    },
  ],
  [
    'redis-sentinel://who:what@a,b:5000/main/3',
    {
      kind: 'sentinel',
      username: 'who',
      password: 'what',
      tls: false,
      name: 'main',
      db: 3,
      nodes: [
        { host: 'a', port: 26_379 },
        { host: 'b', port: 5_000 },
      ],
    },
  ],
])('%s', (text, target) => expect(parseRedisUrl(text)).toEqual(target));

test.each([
  '',
  'localhost:6379',
  'http://a:1',
  'redis-cluster://',
  'redis-cluster://a:0',
  'redis-cluster://a:70000',
  'redis-cluster://a:1,,b:2',
  'redis-cluster://a:1/0',
  'redis-sentinel://a:1',
  'redis-sentinel://a:1/main/x',
  'redis-other://a:1',
])('%p is no address of a Redis', (text) => expect(parseRedisUrl(text)).toBeUndefined());
