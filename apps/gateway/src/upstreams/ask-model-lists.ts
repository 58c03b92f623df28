import { upstreamConnector } from '@tollgate/platform/upstream-connector';
import { addDefaultHeaders, findWrapping } from '@tollgate/protocols';
import type { Protocol } from '@tollgate/vocabulary';
import { Agent, type Dispatcher } from 'undici';
import { readWhole } from '../forward/body.ts';
import { unpackAnswer } from '../forward/unpack-answer.ts';
import type { OpenCredential, UpstreamClient } from '../route/upstream-client.ts';
import { sendWithProof } from '../upstream-auth/send-with-proof.ts';
import { type ModelListPage, readModelList } from './read-model-list.ts';
import { findModelsTarget } from './upstream-target.ts';

/** Some list thousands of models, with what each can do. */
const MAX_LIST_BYTES = 8 * 1_048_576;
const MAX_PAGES = 20;

interface Asked {
  readonly client: UpstreamClient;
  readonly credential: OpenCredential;
}

type ListAnswer =
  | { readonly ok: true; readonly status: number; readonly models: string[] }
  | { readonly ok: false; readonly status: number; readonly body: Buffer };

/**
 * Asks an upstream for its models, wherever it lists them; undefined where that is known of no address.
 *
 * @throws when it cannot be reached, says no list, or no proof can be had.
 */
export async function askModelLists(
  asked: Asked,
  protocol: Protocol,
  signal: AbortSignal,
): Promise<ListAnswer | undefined> {
  const { upstream, origin } = asked.client;
  const own = findModelsTarget(upstream, protocol);
  const lists = upstream.model_lists ?? (own === undefined ? [] : [origin + own]);
  if (lists.length === 0) return undefined;
  const apart = new Agent({
    connect: upstreamConnector(
      { allowPrivate: upstream.allow_private_addresses },
      { timeout: upstream.connect_timeout_ms },
    ),
  });
  try {
    const models = new Set<string>();
    let status = 200;
    for (const list of lists) {
      const answer = await readPages(asked, { protocol, apart, list, signal });
      if (!answer.ok) return answer;
      ({ status } = answer);
      for (const model of answer.models) models.add(model);
    }
    const { carries = () => true } = findWrapping(upstream.wrapping, protocol) ?? {};
    return { ok: true, status, models: [...models].filter(carries) };
  } finally {
    await apart.destroy();
  }
}

interface ListCall {
  readonly protocol: Protocol;
  /** For hosts that are not the upstream's own. */
  readonly apart: Dispatcher;
  readonly list: string;
  readonly signal: AbortSignal;
}

/** One list, with the pages that it says are left. */
async function readPages(asked: Asked, call: ListCall): Promise<ListAnswer> {
  const url = new URL(call.list);
  const models: string[] = [];
  for (let pages = 1; ; pages += 1) {
    const { status, body } = await askPage(asked, call, url);
    if (status >= 300) return { ok: false, status, body };
    const page: ModelListPage = readModelList(body);
    models.push(...page.models);
    if (page.next === undefined || pages === MAX_PAGES) return { ok: true, status, models };
    url.searchParams.set(page.next.parameter, page.next.token);
  }
}

async function askPage(
  { client, credential }: Asked,
  { protocol, apart, signal }: ListCall,
  { origin, pathname, search }: URL,
): Promise<{ status: number; body: Buffer }> {
  const headers = Object.assign(
    addDefaultHeaders(protocol, { accept: 'application/json' }),
    client.setHeaders,
  );
  const dispatcher = origin === client.origin ? client.pool : apart;
  const request = {
    method: 'GET',
    origin,
    path: pathname + search,
    protocol,
    headers,
    body: undefined,
  } as const;
  const answer = await sendWithProof({ client, credential, dispatcher }, request, signal);
  const body = unpackAnswer(answer.body, answer.headers['content-encoding']);
  return { status: answer.statusCode, body: await readWhole(body, MAX_LIST_BYTES) };
}
