import { randomUUID } from 'node:crypto';
import { Controller, Inject } from '@nestjs/common';
import { type RequestOf, upstreams } from '@tollgate/api';
import { type Catalogue, EMPTY_CATALOGUE, type Upstream, upstreamSchema } from '@tollgate/catalogue';
import { Handles, httpError, Input, toHttpException } from '@tollgate/platform';
import { upstreamFrom } from '../admin/complete-entries.ts';
import { applyChange, ImpossibleChange, type UpstreamInput } from '../catalogue/change.ts';
import { upstreamFaults } from '../catalogue/upstream-faults.ts';
import type { PricingConfig } from '../config.ts';
import { CONFIG } from '../provided.ts';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { chooseTest, findOperation } from './choose-test.ts';
import { UpstreamTester } from './upstream-tester.ts';

type TestUpstream = typeof upstreams.testUpstream;

@Controller()
export class UpstreamTestController {
  constructor(
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
    @Inject(UpstreamTester) private readonly tester: UpstreamTester,
    @Inject(CONFIG) private readonly config: PricingConfig,
  ) {}

  @Handles(upstreams.testUpstream)
  async test(@Input() { params: { name }, body }: RequestOf<TestUpstream>) {
    const snapshot = await this.snapshots.current();
    const { test, model } = chosenFor(snapshot?.catalogue, name, body);
    const { models: _models, ...result } = await this.tester.run({
      id: randomUUID(),
      version: snapshot?.version ?? 1,
      ...test,
    });
    return { upstream: name, credential: test.credential, protocol: test.protocol, model, ...result };
  }

  @Handles(upstreams.tryUpstream)
  async tryOut(@Input() { params: { name }, body }: RequestOf<typeof upstreams.tryUpstream>) {
    const current = await this.snapshots.current();
    const entry = upstreamFrom({ ...body.upstream, name }, this.config.SEAL_KEY);
    const published = candidateOn(current?.catalogue ?? EMPTY_CATALOGUE, entry);
    const credentials = published.credentials.filter(
      (each) => body.credential === undefined || each.name === body.credential,
    );
    const protocol = body.protocol ?? published.protocols[0];
    if (protocol === undefined || !published.protocols.includes(protocol))
      throw httpError(400, 'protocol: this upstream does not speak it.', 'protocol', 'protocol_not_spoken');
    if (body.credential !== undefined && credentials.length === 0)
      throw httpError(
        400,
        `credential: there is no "${body.credential}".`,
        'credential',
        'no_such_credential',
        {
          name: body.credential,
        },
      );
    const operation = findOperation(current?.catalogue.models ?? [], body.model, body.model);
    const { models: _models, ...result } = await this.tester.run({
      id: randomUUID(),
      version: 1,
      upstream: name,
      credential: credentials[0]?.name ?? null,
      protocol,
      model: body.model,
      ...(operation && { operation }),
      candidate: { ...published, credentials },
    });
    return result;
  }
}

/** The upstream as it would stand in the catalogue. @throws HttpException 400 for one that could not be published. */
function candidateOn(catalogue: Catalogue, entry: UpstreamInput): Upstream {
  try {
    const { upstreams: all } = applyChange(catalogue, { op: 'put', section: 'upstreams', entry });
    const candidate = upstreamSchema.parse(all.find(({ name }) => name === entry.name));
    const [fault] = upstreamFaults(candidate);
    if (fault !== undefined) throw impossible(fault);
    return candidate;
  } catch (error) {
    throw error instanceof ImpossibleChange ? impossible(error.message) : error;
  }
}

const impossible = (reason: string) => httpError(400, reason, null, 'upstream_impossible', { reason });

function chosenFor(catalogue: Catalogue | undefined, name: string, body: RequestOf<TestUpstream>['body']) {
  const chosen = catalogue && chooseTest(catalogue, name, body);
  if (!chosen) throw httpError(404, `There is no upstream "${name}".`, 'name', 'no_such_upstream', { name });
  if ('fault' in chosen) throw toHttpException(400, chosen.fault, chosen.param, chosen.code, chosen.values);
  return chosen;
}
