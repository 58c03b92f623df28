import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { type AnswerOf, rerates } from '@tollgate/api';
import type { Pair } from './billing-service.ts';
import { PASSWORD } from './test-environment.ts';
import { type Answer, call, readCookie, logIn } from './people.ts';

type News = AnswerOf<typeof rerates.rerate>;
type Line = Extract<News, { account_id: string }>;
type Total = Extract<News, { total: object }>['total'];
type Progress = Extract<News, { progress: object }>['progress'];

/** What a re-rating answered, told apart by what its lines are. */
interface Rerated {
  readonly status: number;
  readonly contentType: string | null;
  readonly progress: readonly Progress[];
  readonly lines: readonly Line[];
  readonly total: Total | undefined;
  readonly error: { readonly message: string } | undefined;
}

export async function rerated(
  at: { readonly url: string; readonly cookie: string },
  body: object,
): Promise<Rerated> {
  const answer = await fetch(`${at.url}${PATH}`, {
    method: 'POST',
    headers: toHeaders(at),
    body: JSON.stringify(body),
  });
  const lines = (await answer.text())
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as News);
  return {
    status: answer.status,
    contentType: answer.headers.get('content-type'),
    progress: lines.flatMap((line) => ('progress' in line ? [line.progress] : [])),
    lines: lines.flatMap((line) => ('account_id' in line ? [line] : [])),
    total: lines.flatMap((line) => ('total' in line ? [line.total] : []))[0],
    error: lines.flatMap((line) => ('error' in line ? [line.error] : []))[0],
  };
}

/** A re-rating whose lines are read as they come, on a connection of its own. */
interface OpenRerate {
  readonly status: number | undefined;
  readonly lines: AsyncIterableIterator<string>;
  leave(): void;
}

export async function openRerate(
  at: { readonly url: string; readonly cookie: string },
  body: object,
): Promise<OpenRerate> {
  const sent = request(`${at.url}${PATH}`, { method: 'POST', headers: toHeaders(at), agent: false });
  sent.end(JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return {
    status: answer.statusCode,
    lines: createInterface({ input: answer })[Symbol.asyncIterator](),
    leave: () => void answer.destroy(),
  };
}

const PATH = rerates.rerate.path;
const toHeaders = ({ cookie }: { readonly cookie: string }) => ({
  cookie,
  'content-type': 'application/json',
});

export type CatalogueCall = (
  method: string,
  path: string,
  body?: object,
) => Promise<Answer<{ version?: number }>>;

/** Calls the catalogue's API of the pricing beside billing, as the first account's owner. */
export async function openCatalogue({
  billing,
  pricing,
}: Pair): Promise<{ cookie: string; catalogue: CatalogueCall }> {
  const cookie = readCookie(await logIn(billing.url, 'owner@billing.example', PASSWORD));
  return {
    cookie,
    catalogue: (method, path, body) =>
      call({ url: pricing.url, cookie }, method, `/api/catalogue${path}`, body),
  };
}
