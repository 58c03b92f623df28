import { queryOptions } from '@tanstack/react-query';
import {
  CATALOGUE,
  onTopOf,
  type Pool,
  type Publication,
  type RateLimit,
  type Upstream,
} from './catalogue.ts';
import {
  pricingCatalogueControllerPutPool,
  pricingCatalogueControllerPutUpstream,
  pricingCatalogueControllerRemove,
} from './generated/sdk/pricing-catalogue.gen.ts';
import { pricingUpstreamHealthControllerHealth } from './generated/sdk/pricing-upstream-health.gen.ts';
import { pricingUpstreamTestControllerTest } from './generated/sdk/pricing-upstream-test.gen.ts';
import type {
  PricingCatalogueControllerPutPoolData,
  PricingCatalogueControllerPutUpstreamData,
  PricingUpstreamTestControllerTestData,
} from './generated/types.gen.ts';
import { bodyOf, errorOf } from './result.ts';

export type TargetState = 'ready' | 'ejected' | 'parked' | 'disabled' | 'unknown';

/** What one gateway knows of an upstream with one credential. */
export interface GatewayView {
  readonly gateway: string;
  readonly state: TargetState;
  readonly breaker: 'closed' | 'open' | 'half-open';
  readonly ejected_until: string | null;
  readonly parked_until: string | null;
  readonly disabled_since: string | null;
  readonly failure_rate: number;
  readonly requests: number;
  readonly latency_ms: number | null;
  readonly outstanding: number;
  readonly last_error: { readonly at: string; readonly reason: string } | null;
}

/** An upstream with one of its credentials; null where it wants none. */
export interface Target {
  readonly upstream: string;
  readonly credential: string | null;
  readonly state: TargetState;
  readonly outstanding: number;
  readonly gateways: readonly GatewayView[];
}

export interface Health {
  readonly gateways: readonly { readonly gateway: string; readonly seen_at: string }[];
  readonly upstreams: readonly Target[];
}

const REFRESH_MS = 3_000;

/** How the upstreams are, asked again and again while somebody looks. */
export const healthQuery = queryOptions({
  queryKey: [...CATALOGUE, 'health'],
  queryFn: ({ signal }) => bodyOf<Health>(pricingUpstreamHealthControllerHealth({ signal })),
  refetchInterval: REFRESH_MS,
});

/** A secret is written, never read: without one the credential keeps what it has. */
export interface StatedCredential {
  readonly name: string;
  readonly weight: number;
  readonly limits: RateLimit;
  readonly secret?: string;
}

/** Without `credentials` those that stand are kept. */
export type StatedUpstream = Omit<Upstream, 'credentials'> & {
  readonly credentials?: readonly StatedCredential[];
};

type UpstreamBody = PricingCatalogueControllerPutUpstreamData['body'];
type PoolBody = PricingCatalogueControllerPutPoolData['body'];

/** Publishes an upstream at once, on top of the version that was looked at. */
export const putUpstream = (version: number, { name, ...body }: StatedUpstream): Promise<Publication> =>
  bodyOf(
    pricingCatalogueControllerPutUpstream({
      path: { name },
      headers: onTopOf(version),
      body: body as unknown as UpstreamBody,
    }),
  );

export const putPool = (version: number, { name, ...body }: Pool): Promise<Publication> =>
  bodyOf(
    pricingCatalogueControllerPutPool({
      path: { name },
      headers: onTopOf(version),
      body: body as unknown as PoolBody,
    }),
  );

export const removeEntry = (
  version: number,
  section: 'upstreams' | 'pools',
  name: string,
): Promise<Publication> =>
  bodyOf(pricingCatalogueControllerRemove({ path: { section, name }, headers: onTopOf(version) }));

/** Lets gateways use a credential again that the upstream had refused. @throws ApiError */
export async function enableCredential(name: string, credential: string): Promise<void> {
  const path = [name, 'credentials', credential].map(encodeURIComponent).join('/');
  // The generated client leaves out the Content-Type of a request without a body, which is refused then.
  const answer = await fetch(`/api/catalogue/upstreams/${path}/enable`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  if (!answer.ok) throw errorOf(answer.status, await answer.json().catch(() => null));
}

export interface TestResult {
  readonly ok: boolean;
  readonly status: number | null;
  readonly latency_ms: number;
  readonly error: string | null;
  readonly model: string;
  readonly gateway: string;
}

/** Sends one tiny request through an upstream; nobody is billed for it. */
export const testUpstream = (
  name: string,
  body: PricingUpstreamTestControllerTestData['body'],
): Promise<TestResult> => bodyOf(pricingUpstreamTestControllerTest({ path: { name }, body }));
