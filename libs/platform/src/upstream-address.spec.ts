import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { Pool, request } from 'undici';
import { assertPublic, assertPublicHost, classifyAddress, UpstreamAddressError } from './upstream-address.ts';
import { upstreamConnector, upstreamLookup } from './upstream-connector.ts';

test.each([
  ['8.8.8.8', 'public'],
  ['1.1.1.1', 'public'],
  ['172.15.255.255', 'public'],
  ['172.32.0.0', 'public'],
  ['100.128.0.0', 'public'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['10.0.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'carrier-nat'],
  ['100.127.255.255', 'carrier-nat'],
  ['198.18.0.1', 'benchmarking'],
  ['198.19.255.255', 'benchmarking'],
  ['169.254.0.1', 'link-local'],
  ['169.254.169.254', 'metadata'],
  ['169.254.170.2', 'metadata'],
  ['100.100.100.200', 'metadata'],
  ['168.63.129.16', 'metadata'],
  ['192.0.0.192', 'metadata'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['192.0.2.1', 'documentation'],
  ['198.51.100.1', 'documentation'],
  ['203.0.113.1', 'documentation'],
  ['192.0.0.1', 'reserved'],
  ['192.88.99.1', 'reserved'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'reserved'],
])('%s is %s', (address, expected) => {
  expect(classifyAddress(address)).toBe(expected);
});

test.each([
  ['2606:4700:4700::1111', 'public'],
  ['2a00:1450:4001::200e', 'public'],
  ['::1', 'loopback'],
  ['::', 'unspecified'],
  ['fd12:3456::1', 'private'],
  ['fc00::1', 'private'],
  ['fd00:ec2::254', 'metadata'],
  ['fd00:ec2::254%eth0', 'metadata'],
  ['fd20:ce::254', 'metadata'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['febf::1', 'link-local'],
  ['fec0::1', 'reserved'],
  ['ff02::1', 'multicast'],
  ['2001:db8::1', 'documentation'],
  ['3fff::1', 'documentation'],
  ['100::1', 'reserved'],
  ['4000::1', 'reserved'],
  ['5f00::1', 'reserved'],
  ['2001::1', 'transition'],
])('%s is %s', (address, expected) => {
  expect(classifyAddress(address)).toBe(expected);
});

test.each([
  ['IPv4-mapped', '::ffff:127.0.0.1', 'loopback'],
  ['IPv4-mapped in hexadecimal', '::ffff:a9fe:a9fe', 'metadata'],
  ['IPv4-mapped', '::ffff:8.8.8.8', 'public'],
  ['NAT64', '64:ff9b::10.0.0.1', 'private'],
  ['NAT64', '64:ff9b::a9fe:a9fe', 'metadata'],
  ['NAT64 of a public address', '64:ff9b::8.8.8.8', 'public'],
  ['NAT64 of one network', '64:ff9b:1::8.8.8.8', 'private'],
  ['6to4', '2002:7f00:1::', 'loopback'],
  ['6to4', '2002:c0a8:101::1', 'private'],
  ['6to4 of a public address', '2002:808:808::1', 'transition'],
  ['IPv4-compatible', '::127.0.0.1', 'loopback'],
  ['IPv4-compatible', '::a9fe:a9fe', 'metadata'],
  ['IPv4-compatible of a public address', '::8.8.8.8', 'transition'],
  ['IPv4-translated', '::ffff:0:127.0.0.1', 'loopback'],
  ['ISATAP', '2606:4700::5efe:10.0.0.1', 'private'],
  ['ISATAP with the universal bit', '2606:4700::200:5efe:7f00:1', 'loopback'],
])('%s: %s is %s', (_how, address, expected) => {
  expect(classifyAddress(address)).toBe(expected);
});

test.each([
  ['2130706433', 'loopback'],
  ['0x7f.1', 'loopback'],
  ['0177.0.0.1', 'loopback'],
  ['localhost', 'invalid'],
  ['127.0.0.1.', 'invalid'],
  ['256.0.0.1', 'invalid'],
  ['1.2.3.4/8', 'invalid'],
  ['[::1]', 'invalid'],
  ['', 'invalid'],
])('the text "%s" is %s', (text, expected) => {
  expect(classifyAddress(text)).toBe(expected);
});

test('no way to write an IPv4 address into an IPv6 one makes a forbidden one public', () => {
  const octet = fc.nat(255);
  const prefixes = ['::ffff:', '64:ff9b::', '::', '::ffff:0:'];
  fc.assert(
    fc.property(fc.tuple(octet, octet, octet, octet), fc.constantFrom(...prefixes), (octets, prefix) => {
      const plain = new ipaddr.IPv4(octets).toString();
      fc.pre(classifyAddress(plain) !== 'public');
      expect(classifyAddress(`${prefix}${plain}`)).not.toBe('public');
      const [a = 0, b = 0, c = 0, d = 0] = octets;
      const tunnel = `2002:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::1`;
      expect(classifyAddress(tunnel)).not.toBe('public');
    }),
  );
});

test('one forbidden address among many refuses the host, and the error names host and class', () => {
  expect(() => assertPublic('api.example', ['8.8.8.8', '2606:4700::1'])).not.toThrow();
  expect(() => assertPublic('api.example', ['8.8.8.8', '10.0.0.1'])).toThrow(
    new UpstreamAddressError('api.example', 'private'),
  );
});

test.each([
  ['127.0.0.1', true],
  ['10.1.2.3', true],
  ['fd12::1', true],
  ['100.64.0.1', true],
  ['198.18.0.7', true],
  ['169.254.169.254', false],
  ['::ffff:169.254.169.254', false],
  ['fd00:ec2::254', false],
  ['100.100.100.200', false],
  ['169.254.1.1', false],
  ['fe80::1', false],
  ['0.0.0.0', false],
  ['224.0.0.1', false],
  ['240.0.0.1', false],
])('where private upstreams are allowed, %s: %s', (address, allowed) => {
  const check = () => assertPublic('host', [address], { allowPrivate: true });
  if (allowed) expect(check).not.toThrow();
  else expect(check).toThrow(UpstreamAddressError);
});

test.each([
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.01/',
  'http://127.1/',
  'http://127.0.0.1./',
  'http://[::ffff:127.0.0.1]/',
  'http://[::1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://①②⑦.0.0.1/',
  'http://127。0。0。1/',
  'http://%31%32%37.0.0.1/',
])('%s is refused as it is written', (url) => {
  expect(() => assertPublicHost(new URL(url).hostname)).toThrow(UpstreamAddressError);
  expect(() => assertPublicHost(new URL(url).hostname, { allowPrivate: true })).not.toThrow();
});

test.each(['https://api.openai.com/', 'https://8.8.8.8/', 'https://[2606:4700::1]/', 'http://localhost./'])(
  '%s cannot be refused before it is resolved',
  (url) => {
    expect(() => assertPublicHost(new URL(url).hostname)).not.toThrow();
  },
);

describe('connecting', () => {
  let server: Server;
  let port: number;

  beforeAll(async () => {
    server = createServer((_request, response) => response.end('reached'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    port = typeof address === 'object' && address ? address.port : 0;
  });
  afterAll(() => server.close());

  /** Resolves every name to the next of the answers. */
  function resolver(...answers: string[][]) {
    const asked: string[] = [];
    const resolve = (
      host: string,
      _options: unknown,
      callback: (error: null, addresses: LookupAddress[]) => void,
    ) => {
      const answer = answers[Math.min(asked.length, answers.length - 1)] ?? [];
      asked.push(host);
      callback(
        null,
        answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    };
    return { resolve, asked };
  }

  async function get(url: string, connector: ReturnType<typeof upstreamConnector>): Promise<string> {
    const pool = new Pool(new URL(url).origin, { connect: connector });
    try {
      return await (await request(url, { dispatcher: pool })).body.text();
    } finally {
      await pool.destroy();
    }
  }

  const tcp = (host: string, lookup: ReturnType<typeof upstreamLookup>, all: boolean) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({ host, port, lookup, autoSelectFamily: all }, () => {
        resolve(socket.remoteAddress ?? '');
        socket.destroy();
      });
      socket.on('error', reject);
    });

  test.each([true, false])('a checked address is the one connected to (all addresses: %s)', async (all) => {
    const { resolve, asked } = resolver(['127.0.0.1'], ['8.8.8.8']);
    expect(await tcp('rebind.test', upstreamLookup({ allowPrivate: true }, resolve), all)).toBe('127.0.0.1');
    expect(asked).toEqual(['rebind.test']);
  });

  test('a name that changes to a private address is refused at the connection that would go there', async () => {
    const { resolve } = resolver(['8.8.8.8'], ['127.0.0.1']);
    const lookup = upstreamLookup({}, resolve);
    const once = () =>
      new Promise((done) =>
        lookup('rebind.test', { all: true }, (error, addresses) => done(error ?? addresses)),
      );
    expect(await once()).toEqual([{ address: '8.8.8.8', family: 4 }]);
    expect(await once()).toEqual(new UpstreamAddressError('rebind.test', 'loopback'));
  });

  test.each([
    ['localhost', systemLookup],
    ['127.0.0.1', systemLookup],
    ['2130706433', systemLookup],
    ['0x7f.1', systemLookup],
    ['::ffff:127.0.0.1', systemLookup],
  ])('the resolver of the system leads "%s" to a refusal', async (host, resolve) => {
    const error = await new Promise((done) => upstreamLookup({}, resolve)(host, { all: true }, done));
    expect(error).toBeInstanceOf(UpstreamAddressError);
  });

  test('a name without any address and a resolver that fails are errors', async () => {
    await expect(tcp('empty.test', upstreamLookup({}, resolver([]).resolve), true)).rejects.toThrow(
      'empty.test',
    );
    const failing = upstreamLookup({}, (_host, _options, callback) =>
      callback(new Error('no such name'), []),
    );
    await expect(tcp('gone.test', failing, false)).rejects.toThrow('no such name');
  });

  test('undici reaches a private upstream only where that is allowed, by address and by name', async () => {
    const { resolve } = resolver(['127.0.0.1']);
    for (const host of ['127.0.0.1', '2130706433', 'upstream.test', 'upstream.test.', '[::ffff:127.0.0.1]']) {
      const url = `http://${host}:${port}/`;
      expect(await get(url, upstreamConnector({ allowPrivate: true }, {}, resolve))).toBe('reached');
      await expect(get(url, upstreamConnector({}, {}, resolve))).rejects.toMatchObject({
        code: 'ERR_UPSTREAM_ADDRESS',
        addressClass: 'loopback',
      });
    }
  });
});
