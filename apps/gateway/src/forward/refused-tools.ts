import {
  CODECS,
  curbCosts,
  findWrapping,
  type JsonObject,
  relayError,
  type RelayError,
} from '@tollgate/protocols';
import type { ClientProtocol } from '@tollgate/vocabulary';
import type { Candidate } from '../route/candidates.ts';
import type { Stage } from '../route/route.ts';

/** Others may run a tool that this cloud does not, and would refuse the whole request for; said where nobody does. */
export function findRefusedTool(
  protocol: ClientProtocol,
  body: JsonObject,
  candidate: Candidate,
): RelayError | undefined {
  // What is converted has left behind what its vendor alone runs.
  if (protocol !== candidate.protocol || candidate.task) return undefined;
  const refused = findWrapping(candidate.client.upstream.wrapping, protocol)?.refusedTools;
  const tool = refused && CODECS[protocol].costs.offered(body).find(({ type }) => refused.test(type));
  if (!tool) return undefined;
  const param = tool.path.join('.');
  return relayError(
    'invalid_request',
    `${param}: the tool "${tool.type}" is run by its vendor and does not exist for this model. Leave it out.`,
    { param },
  );
}

/**
 * Why each of all that may be asked would refuse a tool, so that nobody need be asked and nothing be held. What a model does
 * not sell is left out first, as it is of the request that leaves.
 */
export function refuseUnrunTools(
  stages: readonly Stage[],
  of: { readonly protocol: ClientProtocol; readonly body: JsonObject; readonly strict: boolean },
): RelayError | undefined {
  let first: RelayError | undefined;
  for (const [index, { routed, candidates }] of stages.entries()) {
    // Of nearly all requests the first who may be asked takes every tool.
    if (candidates.some((each) => !findRefusedTool(of.protocol, of.body, each))) return undefined;
    const { model, served } = routed;
    const curbed = curbCosts(of.protocol, of.body, { model: model.name, served, strict: of.strict });
    if (!curbed.ok && index === 0) return curbed.error;
    if (!curbed.ok) continue;
    for (const each of candidates) {
      const refusal = findRefusedTool(of.protocol, { ...of.body, ...curbed.changes }, each);
      if (!refusal) return undefined;
      first ??= refusal;
    }
  }
  return first;
}
