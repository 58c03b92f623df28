import { randomUUID } from 'node:crypto';
import { Controller, Inject } from '@nestjs/common';
import { providers, type RequestOf } from '@tollgate/api';
import { EMPTY_CATALOGUE, type Upstream, upstreamInputSchema, upstreamSchema } from '@tollgate/catalogue';
import type { Session } from '@tollgate/contracts';
import { Caller, Handles, httpError, Input, toHttpException } from '@tollgate/platform';
import {
  type CredentialWay,
  findProvider,
  guessOperations,
  planProvider,
  type Provider,
  type ProviderField,
  type ProviderModel,
  PROVIDERS,
  type ProviderSettings,
  ProviderSettingsError,
  toUpstream,
} from '@tollgate/providers';
import { upstreamFrom } from '../admin/complete-entries.ts';
import { toRefusal } from '../admin/refusal.ts';
import type { PricingConfig } from '../config.ts';
import { CONFIG } from '../provided.ts';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { UpstreamTester } from '../upstream-health/upstream-tester.ts';
import { toProviderChanges } from './provider-changes.ts';

type Routes = typeof providers;

/** Known providers: what they are, whether a credential works there, and what lets one serve. */
@Controller()
export class ProvidersController {
  constructor(
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
    @Inject(UpstreamTester) private readonly tester: UpstreamTester,
    @Inject(CONFIG) private readonly config: PricingConfig,
  ) {}

  @Handles(providers.listProviders)
  list() {
    return { items: PROVIDERS.map(shownProvider) };
  }

  @Handles(providers.addProvider)
  async add(@Input() { body }: RequestOf<Routes['addProvider']>, @Caller() caller: Session) {
    const provider = requireProvider(body.provider);
    const current = await this.snapshots.current();
    const plan = orBadRequest(() => planProvider(current?.catalogue ?? EMPTY_CATALOGUE, provider, body));
    const answer = {
      upstream: plan.upstream.name,
      pool: plan.pool?.entry.name ?? null,
      before: plan.pool?.before ?? null,
      models: plan.models.map(({ name }) => name),
      notes: [...plan.notes],
    };
    const changes = toProviderChanges(plan, this.config.SEAL_KEY);
    if (body.dry_run) return { version: null, ...answer };
    try {
      const { snapshot } = await this.snapshots.publish(changes, {
        actor: caller.email,
        reason: `provider ${plan.upstream.name}`,
        expected: current?.version ?? 0,
      });
      return { version: snapshot.version, ...answer };
    } catch (error) {
      throw toRefusal(error);
    }
  }

  @Handles(providers.testProvider)
  async test(@Input() { body }: RequestOf<Routes['testProvider']>) {
    const provider = requireProvider(body.provider);
    const listed = provider.models.find(({ name }) => name === body.model);
    const { models: _models, ...result } = await this.#tried(provider, body, {
      model: listed?.upstream_name ?? body.model,
      protocol: body.protocol,
    });
    return result;
  }

  @Handles(providers.listProviderModels)
  async models(@Input() { body }: RequestOf<Routes['listProviderModels']>) {
    const { models = [], error } = await this.#tried(requireProvider(body.provider), body, { model: null });
    return { models, error };
  }

  async #tried(
    provider: Provider,
    settings: ProviderSettings,
    ask: { readonly model: string | null; readonly protocol?: Upstream['protocols'][number] | undefined },
  ) {
    const candidate = this.#candidate(provider, settings);
    const protocol = ask.protocol ?? candidate.protocols[0];
    if (protocol === undefined || !candidate.protocols.includes(protocol))
      throw httpError(
        400,
        `protocol: ${provider.title} does not speak it.`,
        'protocol',
        'protocol_not_spoken',
      );
    const operation = ask.model === null ? undefined : guessOperations(ask.model)[0];
    return this.tester.run({
      id: randomUUID(),
      version: 1,
      upstream: candidate.name,
      credential: candidate.credentials[0]?.name ?? null,
      protocol,
      model: ask.model,
      ...(operation && { operation }),
      candidate,
    });
  }

  /** Its secret goes through Redis sealed, as it would stand in the catalogue. */
  #candidate(provider: Provider, settings: ProviderSettings): Upstream {
    const input = orBadRequest(() => upstreamInputSchema.parse(toUpstream(provider, settings)));
    return upstreamSchema.parse({ ...upstreamFrom(input, this.config.SEAL_KEY), costs: {} });
  }
}

function requireProvider(name: string): Provider {
  const provider = findProvider(name);
  if (!provider)
    throw httpError(404, `There is no provider "${name}".`, 'provider', 'no_such_provider', { name });
  return provider;
}

function orBadRequest<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof ProviderSettingsError)
      throw toHttpException(400, error.message, error.field, error.code, error.values);
    throw error;
  }
}

const shownField = ({ name, title, example, pattern }: ProviderField) => ({ name, title, example, pattern });

const shownWay = ({ name, title, hint, secret, fields = [] }: CredentialWay) => ({
  name,
  title,
  ...(hint !== undefined && { hint }),
  needs_secret: secret === undefined,
  fields: fields.map(shownField),
});

const shownModel = ({
  tiers = [],
  features: _features,
  dialect: _dialect,
  operations: _operations,
  ...model
}: ProviderModel) => ({
  ...model,
  has_tiers: tiers.length > 0,
});

const shownProvider = ({
  name,
  title,
  base_url,
  protocols,
  fields = [],
  ways,
  models,
  ...rest
}: Provider) => ({
  name,
  title,
  base_url,
  protocols,
  fields: fields.map(shownField),
  ways: ways.map(shownWay),
  ...(rest.key_page !== undefined && { key_page: rest.key_page }),
  ...(rest.price_page !== undefined && { price_page: rest.price_page }),
  ...(rest.note !== undefined && { note: rest.note }),
  models: models.map(shownModel),
});
