import type { Catalogue } from '@tollgate/catalogue';
import type { UpstreamTest } from '@tollgate/contracts';
import { guessOperations } from '@tollgate/providers';
import { findOwn, type OtherOperation, type Protocol, type RefusalCode } from '@tollgate/vocabulary';

export interface TestRequest {
  readonly credential?: string | undefined;
  /** By our name. */
  readonly model?: string | undefined;
  readonly protocol?: Protocol | undefined;
}

type ChosenTest =
  | { readonly test: Omit<UpstreamTest, 'id' | 'version'>; readonly model: string }
  | {
      readonly fault: string;
      readonly param: string;
      readonly code: RefusalCode;
      readonly values?: Readonly<Record<string, string>>;
    };

/**
 * What a test of an upstream sends, where some of it is left open: the first credential, the first protocol, and the
 * first model that a pool sends there, else the first that it has costs of. Undefined where there is no such upstream.
 */
export function chooseTest(
  { upstreams, pools, models }: Pick<Catalogue, 'upstreams' | 'pools' | 'models'>,
  name: string,
  request: TestRequest,
): ChosenTest | undefined {
  const upstream = upstreams.find((each) => each.name === name);
  if (!upstream) return undefined;
  const { credentials, protocols, costs } = upstream;
  if (request.credential !== undefined && !credentials.some((each) => each.name === request.credential)) {
    return {
      fault: `credential: there is no "${request.credential}".`,
      param: 'credential',
      code: 'no_such_credential',
      values: { name: request.credential },
    };
  }
  const protocol = protocols.find((each) => request.protocol === undefined || each === request.protocol);
  if (!protocol) {
    const fault = 'protocol: this upstream does not speak it.';
    return { fault, param: 'protocol', code: 'protocol_not_spoken' };
  }
  const served = pools.flatMap(({ models: names, members }) =>
    members
      .filter((member) => member.upstream === name)
      .flatMap(({ model_map }) =>
        (names.includes('*') ? models.map((model) => model.name) : names).map((model) => ({
          model,
          upstreamModel: findOwn(model_map, model) ?? model,
        })),
      ),
  );
  const chosen = served.find(({ model }) => request.model === undefined || model === request.model);
  const model = chosen?.model ?? request.model ?? Object.keys(costs)[0];
  if (model === undefined) {
    const fault = 'model: nothing is known of what it serves, so name a model.';
    return { fault, param: 'model', code: 'test_needs_model' };
  }
  const credential = request.credential ?? credentials[0]?.name ?? null;
  const upstreamModel = chosen?.upstreamModel ?? model;
  const operation = findOperation(models, model, upstreamModel);
  return {
    test: { upstream: name, credential, protocol, model: upstreamModel, ...(operation && { operation }) },
    model,
  };
}

/**
 * What a model is for in place of conversations: by the catalogue, else by its name at the upstream. Undefined for one that
 * holds conversations.
 */
export function findOperation(
  models: Catalogue['models'],
  model: string,
  upstreamModel: string,
): OtherOperation | undefined {
  const known = models.find(({ name }) => name === model);
  if (!known) return guessOperations(upstreamModel)[0];
  return known.operations?.includes('generate') === false
    ? known.operations.find((each) => each !== 'generate')
    : undefined;
}
