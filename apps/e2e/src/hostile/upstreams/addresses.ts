// Proves: no spelling of an address of ours, of this machine, of a private network or of where clouds hand out credentials is
// taken as that of an upstream; and none is a command to another protocol.
import { randomBytes } from 'node:crypto';
import { type HostileArea, must } from '../area.ts';

const REFUSED = [
  ...['http://127.0.0.1', 'http://127.1', 'http://127.0.0.1.', 'http://2130706433', 'http://0x7f000001'],
  ...[
    'http://0x7f.1',
    'http://0177.0.0.1',
    'http://017700000001',
    'http://0',
    'http://0.0.0.0',
    'http://[::]',
  ],
  ...[
    'http://[::1]',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:7f00:1]',
    'http://[0:0:0:0:0:ffff:7f00:0001]',
  ],
  ...[
    'http://[64:ff9b::7f00:1]',
    'http://[2002:7f00:1::]',
    'http://[fe80::1]',
    'http://[fc00::1]',
    'http://[fd00:ec2::254]',
  ],
  ...[
    'http://10.0.0.1',
    'http://172.16.0.1',
    'http://172.31.255.255',
    'http://192.168.0.1',
    'http://100.64.0.1',
  ],
  ...['http://169.254.169.254', 'http://169.254.169.254/latest/meta-data', 'http://[::ffff:169.254.169.254]'],
  ...['http://0xa9fea9fe', 'http://2852039166', 'http://0251.0376.0251.0376'],
  ...[
    'http://198.18.0.1',
    'http://224.0.0.1',
    'http://255.255.255.255',
    'http://240.0.0.1',
    'http://192.0.0.192',
  ],
  ...['http://１２７.０.０.１', 'http://①②⑦.⓪.⓪.①'],
  ...['https://user:password@example.com', 'https://user@example.com', 'https://example.com@127.0.0.1'],
  ...['https://example.com/v1?key=secret', 'https://example.com/?', 'https://example.com/#fragment'],
  ...[
    'file:///etc/passwd',
    'ftp://example.com',
    'gopher://127.0.0.1:6379/_INFO',
    'redis://127.0.0.1',
    'data:text/plain,a',
  ],
  ...[
    'javascript:alert(1)',
    'unix:/var/run/docker.sock',
    '//127.0.0.1',
    '127.0.0.1',
    'http://',
    'http://[',
    'http://a b',
  ],
  '',
];

export const addresses: HostileArea = {
  name: 'upstreams/addresses',
  proves: 'an upstream is nowhere inside, however its address is spelled',
  cases: ({ people, send }) =>
    REFUSED.map((base_url) => ({
      name: base_url || 'nothing',
      async run() {
        const name = `hostile-${randomBytes(6).toString('hex')}`;
        const { status, text } = await send(`/api/catalogue/upstreams/${name}`, {
          method: 'PUT',
          headers: { cookie: people.admin.cookie },
          body: {
            base_url,
            protocols: ['openai-chat'],
            credentials: [{ name: 'a', secret: 'hostile-secret' }],
          },
        });
        if (status < 300)
          await send(`/api/catalogue/upstreams/${name}`, {
            method: 'DELETE',
            headers: { cookie: people.admin.cookie },
          });
        must(status === 400, () => `${status} ${text.slice(0, 200)}`);
      },
    })),
};
