import type { Model } from '@tollgate/catalogue';
import {
  changeBodyFields,
  curbCosts,
  readStored,
  type RelayError,
  relayError,
  type StoredState,
} from '@tollgate/protocols';
import { UNIT_KINDS, type UnitKind } from '@tollgate/vocabulary';
import type { Candidate } from '../route/candidates.ts';
import type { Stage } from '../route/route.ts';
import type { OutgoingRequest } from './outgoing-request.ts';

/** Candidates of one model, with the request as that model is asked it. */
interface Asked {
  readonly stage: Stage;
  readonly request: OutgoingRequest;
}

type Asking =
  | { readonly ok: true; readonly asked: readonly Asked[] }
  | { readonly ok: false; readonly error: RelayError };

/**
 * Lists who is asked what, in order. Each model is asked without the features it has no price for, and only at upstreams
 * that keep what the request refers to. When the first model is refused, no other is asked in its place.
 */
export function planAttempts(stages: readonly Stage[], request: OutgoingRequest): Asking {
  const asked: Asked[] = [];
  for (const [index, stage] of stages.entries()) {
    const own = requestTo(stage, request);
    if (own.ok) asked.push(...byPlace(stage, own.request));
    else if (index === 0) return own;
    const param = own.ok ? own.request.stored?.param : undefined;
    if (index === 0 && asked.length === 0 && param) return { ok: false, error: gone(param, request.model) };
  }
  return { ok: true, asked };
}

const gone = (param: string, model: string): RelayError =>
  relayError(
    'not_found',
    `${param}: what it names is kept at an upstream account that does not serve the model "${model}" any more. Send the conversation in full.`,
    { param },
  );

type Own =
  | { readonly ok: true; readonly request: OutgoingRequest }
  | { readonly ok: false; readonly error: RelayError };

function requestTo(stage: Stage, request: OutgoingRequest): Own {
  const { protocol, payload, strict, storedIds, accountId, task } = request;
  const { json } = payload;
  const { model, served, maxOutputTokens } = stage.routed;
  const curbed = curbCosts(protocol, json, { model: model.name, served, strict });
  if (!curbed.ok) return curbed;
  const { changes, dropped } = curbed;
  const isChanged = Object.keys(changes).length > 0;
  const isNamed = model.name === request.model;
  const own = {
    ...request,
    payload: isChanged
      ? payload.changed(changeBodyFields(payload.bytes, changes), { ...json, ...changes })
      : payload,
    dropped: isChanged ? [...(request.dropped ?? []), ...dropped] : request.dropped,
    model: model.name,
    defaultMaxTokens: isNamed ? request.defaultMaxTokens : maxOutputTokens,
    pricedUnits: findPricedUnits(model),
    stored: undefined as StoredState | undefined,
  };
  // Tasks name nothing that is kept.
  if (task) return { ok: true, request: own };
  // What is converted says itself that it cannot carry what is kept.
  if (!stage.candidates.some((candidate) => candidate.protocol === protocol))
    return { ok: true, request: own };
  const stored = readStored(protocol, own.payload.json, storedIds, accountId);
  if (!stored.ok) return stored;
  own.stored = stored;
  return { ok: true, request: own };
}

/** Models are made again with every snapshot. */
const pricedUnits = new WeakMap<Model, readonly UnitKind[]>();

function findPricedUnits(model: Model): readonly UnitKind[] {
  const known = pricedUnits.get(model);
  if (known) return known;
  const priced = UNIT_KINDS.filter((kind) => model.unit_prices?.[kind] !== undefined);
  pricedUnits.set(model, priced);
  return priced;
}

/** Only where what is needed is kept; else first where everything can be read, and then where the rest of it can. */
function byPlace(stage: Stage, request: OutgoingRequest): Asked[] {
  const { needed, preferred = [] } = request.stored ?? {};
  const keeps = (place: string) => (candidate: Candidate) =>
    candidate.protocol === request.protocol && candidate.credential.place === place;
  const at = (candidates: readonly Candidate[]): Asked[] =>
    candidates.length === 0 ? [] : [{ stage: { ...stage, candidates }, request }];
  if (needed !== undefined) return at(stage.candidates.filter(keeps(needed)));
  // Reasoning that was converted is read by the credential that made it, whatever it speaks.
  const made = (place: string) => (candidate: Candidate) => candidate.credential.place === place;
  const isKeeper = [...preferred.map(keeps), ...(request.reasoning?.places ?? []).map(made)].find((each) =>
    stage.candidates.some(each),
  );
  if (!isKeeper) return [{ stage, request }];
  return [
    ...at(stage.candidates.filter(isKeeper)),
    ...at(stage.candidates.filter((candidate) => !isKeeper(candidate))),
  ];
}
