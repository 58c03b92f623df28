import { readFileSync } from 'node:fs';
import type { Query } from './gather.ts';
import { readJobs } from './usage-jobs.ts';

/** Of a line that long, the rest tells no more. */
const SHOWN_MAX = 2_000;
const IN_BOOKS = ['usage', 'lost_attempt', 'usage_rejected'];

/**
 * What there is to know of files of a spool that do not go: what they hold, of which events the books have none, where
 * jobs are, and what the database is at.
 */
export async function tellSpooled(
  files: readonly string[],
  { query, redisPort }: { readonly query: Query; readonly redisPort: number },
): Promise<string> {
  const texts = files.map((file) => ({ file, text: readFile(file) }));
  const ids = texts.flatMap(({ text }) =>
    [...text.matchAll(/"request_id":"([\w.-]+)"/g)].map(([, id]) => `'${id}'`),
  );
  const found = IN_BOOKS.map((table) => `SELECT request_id FROM billing.${table}`).join(' UNION ALL ');
  const missing =
    ids.length === 0
      ? []
      : await query(`SELECT id FROM unnest(ARRAY[${ids.join(', ')}]) AS id WHERE id NOT IN (${found})`);
  const busy = await query(
    `SELECT state, wait_event, (now() - xact_start)::text AS since, left(query, 100) AS query FROM pg_stat_activity
     WHERE state <> 'idle' AND pid <> pg_backend_pid()`,
  );
  return [
    ...texts.map(({ file, text }) => `${file}: ${text.slice(0, SHOWN_MAX)}`),
    `${missing.length} of ${ids.length} events are not in the books: ${missing.map(({ id }) => String(id)).join(', ')}`,
    `jobs: ${(await readJobs(redisPort)).join(', ')}`,
    ...busy.map((each) => `the database is at ${JSON.stringify(each)}`),
  ]
    .map((line) => `\n${line}`)
    .join('');
}

/** Nothing where it has gone meanwhile. */
function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
