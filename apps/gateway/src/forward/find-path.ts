import type { UpstreamAction } from '@tollgate/protocols';
import type { Candidate } from '../route/candidates.ts';
import { findUpstreamTarget } from '../upstreams/upstream-target.ts';

/** Of requests without a query, which are nearly all; candidates are made again with every snapshot. */
const plainPaths = new WeakMap<Candidate, Map<string, string>>();

/** Path and query of a request to a candidate. */
export function findPath(
  candidate: Candidate,
  action: UpstreamAction,
  stream: boolean,
  query: string,
): string {
  const { client, protocol, task, upstreamModel: model } = candidate;
  const find = () => findUpstreamTarget(client.upstream, { protocol, action, task, model, stream, query });
  if (query !== '') return find();
  const known = plainPaths.get(candidate) ?? new Map<string, string>();
  plainPaths.set(candidate, known);
  const key = stream ? `${action} stream` : action;
  const path = known.get(key) ?? find();
  known.set(key, path);
  return path;
}
