import type { Catalogue } from '../../api/catalogue.ts';

/** Models that a test of an upstream may name: first what pools send there, then what it has costs of, then all others. */
export function listTestModels({ pools, models, upstreams }: Catalogue, name: string): string[] {
  const all = models.map((model) => model.name);
  const served = pools
    .filter(({ members }) => members.some(({ upstream }) => upstream === name))
    .flatMap((pool) => (pool.models.includes('*') ? all : pool.models));
  const costs = Object.keys(upstreams.find((upstream) => upstream.name === name)?.costs ?? {});
  return [...new Set([...served, ...costs, ...all])];
}

const WAYS = [
  [/no answer within|timeout|timed out/i, 'timeout'],
  [/ENOTFOUND|EAI_AGAIN|getaddrinfo/i, 'noHost'],
  [/ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|socket/i, 'noConnection'],
  [/certificate|self.signed|TLS|SSL/i, 'certificate'],
  [/private|not allowed|public/i, 'privateAddress'],
] as const;

/** What a failure means, so that it can be told in the reader's language. */
export function findTestFailure({
  status,
  error,
}: {
  readonly status: number | null;
  readonly error: string | null;
}) {
  if (status === null) return WAYS.find(([pattern]) => pattern.test(error ?? ''))?.[1] ?? 'unreachable';
  if (status === 401 || status === 403) return 'refused';
  if (status === 402) return 'unpaid';
  if (status === 404) return 'noModel';
  if (status === 429) return 'limited';
  return status >= 500 ? 'upstreamError' : 'badRequest';
}
