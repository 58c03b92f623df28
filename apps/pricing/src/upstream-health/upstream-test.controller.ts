import { randomUUID } from 'node:crypto';
import { Controller, Inject } from '@nestjs/common';
import { type RequestOf, upstreams } from '@tollgate/api';
import type { Catalogue } from '@tollgate/catalogue';
import { Handles, httpError, Input } from '@tollgate/platform';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { chooseTest } from './choose-test.ts';
import { UpstreamTester } from './upstream-tester.ts';

type TestUpstream = typeof upstreams.testUpstream;

@Controller()
export class UpstreamTestController {
  constructor(
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
    @Inject(UpstreamTester) private readonly tester: UpstreamTester,
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
}

function chosenFor(catalogue: Catalogue | undefined, name: string, body: RequestOf<TestUpstream>['body']) {
  const chosen = catalogue && chooseTest(catalogue, name, body);
  if (!chosen) throw httpError(404, `There is no upstream "${name}".`, 'name');
  if ('fault' in chosen) throw httpError(400, chosen.fault, chosen.param);
  return chosen;
}
