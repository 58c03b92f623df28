// Proves: what a bad disk does to the usage that waits on it is never billed as it stands there, and takes no other usage
// with it: a request whose line was changed is billed right or not at all, every other one is billed as its client was told.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBooks } from '../../books.ts';
import { GOOD } from '../../call.ts';
import { type HostileArea, type HostileCase, must } from '../area.ts';
import { send } from '../send.ts';

/** What becomes of one line. */
const DAMAGES: Readonly<Record<string, (line: string) => string>> = {
  'a digit of the output': (line) => line.replace(/("output":)(\d)/, (_all, name: string) => `${name}9`),
  'a digit of the input': (line) => line.replace(/("input":)(\d)/, (_all, name: string) => `${name}9`),
  'many more tokens': (line) => line.replace(/("output":)\d+/, '$1987654'),
  'no tokens': (line) => line.replace(/("output":)\d+/, '$10'),
  'another model': (line) => line.replace('"model":"sim-chat"', '"model":"sim-vip"'),
  'another group': (line) => line.replace('"group":"default"', '"group":"vip"'),
  'another moment': (line) => line.replace(/("occurred_at":")\d{4}/, '$12031'),
  'another account': (line) =>
    line.replace(/("account_id":")[0-9a-f-]{36}/, '$10198f1c2-7d1e-7000-8000-000000000001'),
  'a bit of a name': (line) => line.replace('"tokens"', '"tokenr"'),
  'half a line': (line) => line.slice(0, Math.floor(line.length / 2)),
  nulls: (line) => '\0'.repeat(line.length),
  'an empty line': () => '',
  'something in front': (line) => `x${line}`,
  'something behind': (line) => `${line}x`,
  'no UTF-8': (line) => line.replace('sim-chat', 'sim-\ufffd\ufffdat'),
  'the line twice': (line) => `${line}\n${line}`,
  'a list': () => '[]',
  'a number': () => '7',
};
/** So many others are between those. */
const SOUND = 12;
const POSTED_MS = 45_000;

interface Asked {
  readonly id: string;
  readonly input: number;
  readonly output: number;
}

export const spool: HostileArea = {
  name: 'disks/spool',
  proves: 'usage that a disk changed is not billed as it stands there, and the rest is',
  disturbs: true,
  async cases({ at, control }) {
    if (!control) throw new Error('this area needs a stack of its own');
    const asked: Asked[] = [];
    for (let n = 0; n < Object.keys(DAMAGES).length + SOUND; n += 1) {
      // The first is in the books: by it the gateway knows the key.
      if (n === 1) control.freezeBilling();
      const { status, headers, text } = await send(control.url, GOOD.chat.path, {
        headers: { authorization: `Bearer ${at.apiKey}` },
        body: GOOD.chat.body,
      });
      if (status !== 200) throw new Error(`a request for the spool was answered ${status}: ${text}`);
      const { usage } = JSON.parse(text) as {
        usage: { prompt_tokens: number; completion_tokens: number };
      };
      asked.push({
        id: String(headers['x-request-id']),
        input: usage.prompt_tokens,
        output: usage.completion_tokens,
      });
    }
    const damaged = new Map(Object.keys(DAMAGES).map((name, n) => [asked[n + 1]?.id ?? '', name]));
    await control.crash((directory) => changeLines(directory, damaged));
    control.thawBilling();
    const books = openBooks(at.databaseUrl);
    const rows = async (id: string) =>
      books.one(
        `SELECT count(*)::text AS count, coalesce(max(tokens_output), 0)::text AS output,
         coalesce(max(tokens_input), 0)::text AS input,
         coalesce(max(model), '') AS model, coalesce(max(account_id::text), '') AS account,
         coalesce(max(group_name), '') AS grp, coalesce(max(extract(year FROM occurred_at)), 0)::text AS year
         FROM billing.usage WHERE request_id = $1`,
        [id],
      );
    const sound = asked.filter(({ id }) => !damaged.has(id));
    const until = performance.now() + POSTED_MS;
    while (performance.now() < until) {
      const counts = await Promise.all(sound.map(async ({ id }) => (await rows(id))['count']));
      if (counts.every((count) => count === '1')) break;
      await sleep(500);
    }
    const found = new Map(await Promise.all(asked.map(async ({ id }) => [id, await rows(id)] as const)));
    await books.close();
    const thisYear = String(new Date().getUTCFullYear());
    return asked.map(({ id, input, output }): HostileCase => {
      const damage = damaged.get(id);
      return {
        name: damage === undefined ? `a sound line (${id})` : `a line with ${damage}`,
        run() {
          const row = found.get(id) ?? {};
          if (damage !== undefined && row['count'] === '0') return Promise.resolve();
          must(row['count'] === '1', () => `${id} is in the books ${row['count']} times`);
          const isRight =
            row['output'] === String(output) &&
            row['input'] === String(input) &&
            row['model'] === 'sim-chat' &&
            row['grp'] === 'default' &&
            row['account'] !== '0198f1c2-7d1e-7000-8000-000000000001' &&
            row['year'] === thisYear;
          must(isRight, () => `${id} is billed as ${JSON.stringify(row)}`);
          return Promise.resolve();
        },
      };
    });
  },
};

/** Changes the lines of these requests, wherever below the directory they are. */
function changeLines(directory: string, damaged: ReadonlyMap<string, string>): void {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  for (const file of names.map((name) => join(directory, name)).filter((path) => statSync(path).isFile())) {
    const lines = readFileSync(file, 'utf8').split('\n');
    const changed = lines.map((line) => {
      const id = /"request_id":"([^"]+)"/.exec(line)?.[1] ?? '';
      return DAMAGES[damaged.get(id) ?? '']?.(line) ?? line;
    });
    writeFileSync(file, changed.join('\n'));
  }
}
