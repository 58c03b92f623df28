import { pickNamed } from '@tollgate/catalogue/entry-differences';
import { queryOptions } from '@tanstack/react-query';
import { CATALOGUE, type Pool, publishOn, type Published } from './catalogue.ts';
import {
  putPool as callPutPool,
  putUpstream as callPutUpstream,
  removeEntry as callRemoveEntry,
} from './generated/sdk/catalogue.gen.ts';
import {
  enableCredential as callEnableCredential,
  fetchOffer as callFetchOffer,
  listOffers,
  showHealth,
  testUpstream as callTestUpstream,
  tryUpstream as callTryUpstream,
} from './generated/sdk/upstreams.gen.ts';
import type {
  PutUpstreamData,
  TestUpstreamData,
  TryUpstreamData,
  UpstreamTarget,
} from './generated/types.gen.ts';
import { read } from './result.ts';

export type {
  GatewayView,
  UpstreamHealth as Health,
  UpstreamOffer as Offer,
  UpstreamTarget as Target,
  UpstreamTrial as Trial,
  UpstreamTestResult as TestResult,
} from './generated/types.gen.ts';
export type TargetState = UpstreamTarget['state'];

const REFRESH_MS = 3_000;

/** How the upstreams are, asked again and again while somebody looks. */
export const healthQuery = queryOptions({
  queryKey: [...CATALOGUE, 'health'],
  queryFn: ({ signal }) => read(showHealth({ signal })),
  refetchInterval: REFRESH_MS,
});

/** Without `credentials` those that stand are kept; a secret is written, never read. */
export type UpstreamInput = PutUpstreamData['body'] & { readonly name: string };
export type CredentialInput = NonNullable<UpstreamInput['credentials']>[number];

/** Publishes an upstream at once, on top of the version that was looked at. */
export const putUpstream = (seen: Published, { name, ...body }: UpstreamInput) =>
  publishOn(
    seen,
    'upstreams',
    ({ upstreams }) => pickNamed(upstreams, [name]),
    (headers) => read(callPutUpstream({ path: { name }, headers, body })),
  );

/** Where `before` names another pool, it is put in front of it, else it stays where it is; a new one is the last. */
export const putPool = (seen: Published, { name, ...body }: Pool, before?: string) => {
  const query = before === undefined ? {} : { before };
  return publishOn(
    seen,
    'pools',
    ({ pools }) => pickNamed(pools, [name]),
    (headers) => read(callPutPool({ path: { name }, query, headers, body })),
  );
};

export const removeEntry = (seen: Published, section: 'upstreams' | 'pools', name: string) =>
  publishOn(
    seen,
    section,
    ({ [section]: entries }) => pickNamed(entries, [name]),
    (headers) => read(callRemoveEntry({ path: { section, name }, headers })),
  );

/** Lets gateways use a credential again that the upstream had refused. @throws ApiError */
export const enableCredential = (name: string, credential: string) =>
  read(callEnableCredential({ path: { name, credential } }));

/** Sends one tiny request through an upstream; nobody is billed for it. */
export const testUpstream = (name: string, body: TestUpstreamData['body']) =>
  read(callTestUpstream({ path: { name }, body }));

/** Tests an upstream as it would be, before it is published. */
export const tryUpstream = (name: string, body: TryUpstreamData['body']) =>
  read(callTryUpstream({ path: { name }, body }));

/** Models that upstreams have and the catalogue lacks. */
export const offersQuery = queryOptions({
  queryKey: [...CATALOGUE, 'offers'],
  queryFn: async ({ signal }) => (await read(listOffers({ signal }))).items,
});

export const fetchOffer = (name: string) => read(callFetchOffer({ path: { name } }));
