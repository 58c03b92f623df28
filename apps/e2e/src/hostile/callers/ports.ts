// Proves: the ports behind the front door, and what is no HTTP, take junk, half messages and lies about lengths without
// ending, without a report from a stranger that counts, and without an answer that shows the books.
import { randomBytes } from 'node:crypto';
import { type HostileArea, must } from '../area.ts';
import { sendRaw } from '../send.ts';

const message = (value: unknown): string => {
  const text = JSON.stringify(value);
  return `${text.length}#${text}`;
};
const deep = (count: number): string => `${'{"a":'.repeat(count)}1${'}'.repeat(count)}`;

/** Bytes for a port that speaks messages with a length before them. */
const JUNK: Readonly<Record<string, string | Buffer>> = {
  'nothing but a number': '5#',
  'a length that is none': 'abc#{}',
  'a negative length': '-5#{}',
  'a length with a point': '2.5#{}',
  'a length beyond all numbers': '999999999999999999999999#{}',
  'a length that is too short': '1#{}',
  'a length that is too long': '500#{}',
  'no length': '#{}',
  'no mark': '{}',
  'no JSON': '5#hello',
  'half of JSON': '5#{"pat',
  'a null': message(null),
  'a list': message([]),
  'a text': message('x'),
  'an empty object': message({}),
  'a pattern that is an object': message({ pattern: {}, data: {}, id: '1' }),
  'a pattern that is a name of objects': message({ pattern: '__proto__', data: {}, id: '1' }),
  'a pattern that nobody knows': message({ pattern: 'hostile.pattern', data: {}, id: '1' }),
  'data of another type': message({ pattern: 'key.find', data: 7, id: '1' }),
  'lists in lists': (() => {
    const text = `{"pattern":"key.find","data":${deep(5_000)},"id":"1"}`;
    return `${text.length}#${text}`;
  })(),
  'a thousand empty messages': '2#{}'.repeat(1_000),
  HTTP: 'GET / HTTP/1.1\r\nhost: x\r\n\r\n',
  'HTTP with a body': 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello',
  TLS: Buffer.from('160301020001000001fc0303', 'hex'),
  'random bytes': randomBytes(20_000),
  nulls: Buffer.alloc(20_000),
  SSH: 'SSH-2.0-OpenSSH_9.0\r\n',
  Redis: '*1\r\n$4\r\nINFO\r\n',
  PostgreSQL: Buffer.from('0000000804d2162f', 'hex'),
  'a report of what nobody published': message({
    pattern: 'audit.report',
    data: {
      entries: [
        { version: 999_999, actor: 'hostile', reason: 'forged', at: '2026-01-01T00:00:00Z', changes: [] },
      ],
    },
    id: '1',
  }),
};

export const ports: HostileArea = {
  name: 'callers/ports',
  proves: 'junk at any port ends nothing and shows nothing',
  cases: ({ at, victim, people, send }) =>
    Object.entries(at.ports ?? {})
      .filter(([name]) => name.endsWith('_tcp') || name === 'gateway')
      .flatMap(([port, number]) =>
        Object.entries(JUNK).map(([name, bytes]) => ({
          name: `${port}: ${name}`,
          async run() {
            const text = await sendRaw(`http://127.0.0.1:${number}`, bytes, 150);
            for (const mark of [...victim.marks, 'key_hash', 'sealed'])
              must(!text.includes(mark), () => `it shows ${text.slice(0, 200)}`);
            const log = await send('/api/audit-log?actor=hostile', {
              headers: { cookie: people.admin.cookie },
            });
            must(log.status === 200, () => `billing answers ${log.status}`);
            must(
              !name.startsWith('a report') || !log.text.includes('forged'),
              () => 'a forged report is believed',
            );
          },
        })),
      ),
};
