import {
  UPSTREAM_TEST_KEPT_S,
  UPSTREAM_TEST_MS,
  type UpstreamTest,
  upstreamTestClaimRedisKey,
  upstreamTestRedisKey,
  type UpstreamTestResult,
} from '@tollgate/contracts';
import type { Logger } from '@tollgate/platform';
import {
  addDefaultHeaders,
  CODECS,
  joinUpstreamUrl,
  overrideBodyFields,
  upstreamErrorMessage,
  upstreamPath,
} from '@tollgate/protocols';
import type { Redis } from 'ioredis';
import { readWhole } from '../forward/body.ts';
import { textWithoutSecrets } from '../forward/secrets.ts';
import { unpackAnswer } from '../forward/unpack-answer.ts';
import type { RoutingTable } from '../route/routing-table.ts';

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
  /** Takes the newest snapshot. */
  readonly refresh: () => Promise<void>;
  readonly logger: Logger;
}): (test: UpstreamTest) => Promise<void> {
  const { self, redis, table, refresh, logger } = parts;
  return async (test) => {
    if ((table()?.version ?? 0) < test.version) await refresh();
    if ((table()?.version ?? 0) < test.version) return;
    const claim = upstreamTestClaimRedisKey(test.id);
    if ((await redis.set(claim, self, 'EX', UPSTREAM_TEST_KEPT_S, 'NX')) === null) return;
    const probed = table()?.targets.find(
      ({ client, credential }) =>
        client.upstream.name === test.upstream && credential.name === test.credential,
    );
    const result: UpstreamTestResult = {
      gateway: self,
      ...(probed ? await tryOut(probed, test) : failed('This gateway does not know the upstream.', 0)),
    };
    logger.info(
      { event: 'upstream_tested', upstream: test.upstream, credential: test.credential, ...result },
      'an upstream was tested',
    );
    await redis.set(upstreamTestRedisKey(test.id), JSON.stringify(result), 'EX', UPSTREAM_TEST_KEPT_S);
  };
}

type Tried = Omit<UpstreamTestResult, 'gateway'>;

async function tryOut({ client, credential }: Probed, test: UpstreamTest): Promise<Tried> {
  const beganAt = Date.now();
  const elapsed = () => Date.now() - beganAt;
  const withoutSecret = (text: string) => textWithoutSecrets(text, credential);
  try {
    const answer = await client.pool.request({
      ...(await createTestRequest({ client, credential }, test)),
      signal: AbortSignal.timeout(UPSTREAM_TEST_MS),
    });
    answer.body.on('error', () => {});
    const { statusCode: status, headers } = answer;
    const body = await readWhole(unpackAnswer(answer.body, headers['content-encoding']), MAX_ANSWER_BYTES);
    if (status < 300) return { ok: true, status, latency_ms: elapsed(), error: null };
    const words = upstreamErrorMessage(test.protocol, body) ?? `It answered with status ${status}.`;
    return { ...failed(withoutSecret(words), elapsed()), status };
  } catch (error) {
    return failed(withoutSecret(reasonOf(error)), elapsed());
  }
}

const WORDS = 'Answer with the word OK.';

/** A tiny request for a model, by the name that the upstream knows it by. */
async function createTestRequest(
  { client: { upstream, origin, setHeaders }, credential }: Probed,
  { protocol, model }: UpstreamTest,
) {
  const url = new URL(
    joinUpstreamUrl(upstream.base_url, upstreamPath(protocol, { model, action: 'generate' })),
  );
  const plain = { 'content-type': 'application/json', accept: 'application/json' };
  const headers = Object.assign(addDefaultHeaders(protocol, plain), setHeaders);
  const tiny = Buffer.from(JSON.stringify(CODECS[protocol].testRequest(model, WORDS)));
  const body = overrideBodyFields(tiny, upstream.set_parameters);
  const request = { method: 'POST', path: `${url.pathname}${url.search}`, body } as const;
  return { ...request, headers: await credential.auth.applyAuth({ ...request, origin, protocol, headers }) };
}

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
