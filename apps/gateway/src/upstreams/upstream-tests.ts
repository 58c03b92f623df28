import type { Upstream } from '@tollgate/catalogue';
import {
  UPSTREAM_TEST_KEPT_S,
  UPSTREAM_TEST_MS,
  type UpstreamTest,
  upstreamTestClaimRedisKey,
  upstreamTestRedisKey,
  type UpstreamTestResult,
} from '@tollgate/contracts';
import type { Logger } from '@tollgate/platform';
import { upstreamErrorMessage, findWrapping, parseJson } from '@tollgate/protocols';
import type { Redis } from 'ioredis';
import { readWhole } from '../forward/body.ts';
import { textWithoutSecrets } from '../forward/secrets.ts';
import { unpackAnswer } from '../forward/unpack-answer.ts';
import type { RoutingTable } from '../route/routing-table.ts';
import { sendWithProof } from '../upstream-auth/send-with-proof.ts';
import type { UpstreamClients } from '../route/upstream-client.ts';
import { askModelLists } from './ask-model-lists.ts';
import { createTestRequest, type TestTarget } from './test-requests.ts';

const MAX_ANSWER_BYTES = 1_048_576;
const MAX_ERROR_CHARACTERS = 500;

type Probed = RoutingTable['targets'][number];

/**
 * Carries out tests of upstreams that admins ask for: of all gateways that hear of one, the first that claims it. The
 * answer goes where pricing looks for it. A test is not billed, and says nothing about the target's health.
 */
export function createUpstreamTests(parts: {
  readonly self: string;
  readonly redis: Redis;
  readonly table: () => RoutingTable | undefined;
  readonly clients: Pick<UpstreamClients, 'openApart'>;
  /** Takes the newest snapshot. */
  readonly refresh: () => Promise<void>;
  readonly logger: Logger;
}): (test: UpstreamTest) => Promise<void> {
  const { self, redis, table, clients, refresh, logger } = parts;
  return async (test) => {
    if ((table()?.version ?? 0) < test.version) await refresh();
    if ((table()?.version ?? 0) < test.version) return;
    const claim = upstreamTestClaimRedisKey(test.id);
    if ((await redis.set(claim, self, 'EX', UPSTREAM_TEST_KEPT_S, 'NX')) === null) return;
    const result: UpstreamTestResult = {
      gateway: self,
      ...(test.candidate ? await tryApart(clients, test.candidate, test) : await tryPublished(table(), test)),
    };
    const { models, ...logged } = result;
    logger.info(
      {
        event: 'upstream_tested',
        upstream: test.upstream,
        credential: test.credential,
        models: models?.length,
        ...logged,
      },
      'an upstream was tested',
    );
    await redis.set(upstreamTestRedisKey(test.id), JSON.stringify(result), 'EX', UPSTREAM_TEST_KEPT_S);
  };
}

type Tried = Omit<UpstreamTestResult, 'gateway'>;

async function tryPublished(table: RoutingTable | undefined, test: UpstreamTest): Promise<Tried> {
  const probed = table?.targets.find(
    ({ client, credential }) => client.upstream.name === test.upstream && credential.name === test.credential,
  );
  return probed ? tryOut(probed, test) : failed('This gateway does not know the upstream.', 0);
}

/** On connections of its own, which are closed again. */
async function tryApart(
  clients: Pick<UpstreamClients, 'openApart'>,
  candidate: Upstream,
  test: UpstreamTest,
): Promise<Tried> {
  const client = clients.openApart(candidate);
  try {
    const [credential] = client.credentials;
    return credential ? await tryOut({ client, credential }, test) : failed('It has no credential.', 0);
  } finally {
    await client.pool.destroy();
  }
}

async function tryOut({ client, credential }: Probed, test: UpstreamTest): Promise<Tried> {
  const beganAt = performance.now();
  const elapsed = () => Math.round(performance.now() - beganAt);
  const withoutSecret = (text: string) => textWithoutSecrets(text, credential);
  try {
    const { protocol, model, operation } = test;
    const signal = AbortSignal.timeout(UPSTREAM_TEST_MS);
    const answer =
      model === null
        ? await askModelLists({ client, credential }, protocol, signal)
        : await askModel({ client, credential }, { protocol, model, operation }, signal);
    if (!answer) return failed(NO_LIST, elapsed());
    const { status } = answer;
    if (answer.ok) {
      const models = 'models' in answer ? { models: answer.models } : {};
      return { ok: true, status, latency_ms: elapsed(), error: null, ...models };
    }
    const words =
      refusalWords(client.upstream, protocol, status, answer.body) ?? `It answered with status ${status}.`;
    return { ...failed(withoutSecret(words), elapsed()), status };
  } catch (error) {
    return failed(withoutSecret(reasonOf(error)), elapsed());
  }
}

async function askModel(
  { client, credential }: Probed,
  target: TestTarget,
  signal: AbortSignal,
): Promise<{ ok: boolean; status: number; body: Buffer } | undefined> {
  const request = createTestRequest(client, target);
  if (!request) return findListed({ client, credential }, target, signal);
  const answer = await sendWithProof({ client, credential }, request, signal);
  const { statusCode: status, headers } = answer;
  const body = await readWhole(unpackAnswer(answer.body, headers['content-encoding']), MAX_ANSWER_BYTES);
  return { ok: status < 300, status, body };
}

/** Whether the upstream lists a model that is not tried. */
async function findListed(
  probed: Probed,
  { protocol, model }: TestTarget,
  signal: AbortSignal,
): Promise<{ ok: boolean; status: number; body: Buffer } | undefined> {
  const listed = await askModelLists(probed, protocol, signal);
  if (!listed?.ok) return listed;
  const ok = listed.models.includes(model);
  const message = `It lists no model "${model}".`;
  return { ok, status: listed.status, body: Buffer.from(JSON.stringify({ error: { message } })) };
}

/** A cloud that carries the format refuses in words of its own. */
function refusalWords(
  { wrapping }: Probed['client']['upstream'],
  protocol: UpstreamTest['protocol'],
  status: number,
  body: Buffer,
): string | undefined {
  const own = findWrapping(wrapping, protocol)?.unwrap(parseJson(body.toString('utf8')), status);
  return upstreamErrorMessage(protocol, own ? Buffer.from(JSON.stringify(own)) : body);
}

const NO_LIST = 'It lists its models at no address that is known here. Name a model to try it.';

function reasonOf(error: unknown): string {
  const { name, message } = error as Error;
  if (name === 'TimeoutError') return `No answer within ${UPSTREAM_TEST_MS / 1_000} seconds.`;
  return message || name || 'It could not be reached.';
}

const failed = (error: string, latencyMs: number): Tried => ({
  ok: false,
  status: null,
  latency_ms: latencyMs,
  error: error.slice(0, MAX_ERROR_CHARACTERS),
});
