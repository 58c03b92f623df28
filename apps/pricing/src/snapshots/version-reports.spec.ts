import { createRequestReplyClient } from '@tollgate/platform';
import { freePort, startTcpProxy, waitFor, TEST_ANSWER_MS, TEST_SERVICE_SECRET } from '@tollgate/harness';
import { type BillingProcess, seedPeople, startBillingProcess } from '../../testing/billing-process.ts';
import { type TestEnvironment, silent, startTestEnvironment } from '../../testing/pricing-service.ts';
import type { CatalogueChange } from '../catalogue/change.ts';
import { startVersionReports } from './version-reports.ts';

let environment: TestEnvironment;
let billing: BillingProcess;
beforeAll(async () => {
  environment = await startTestEnvironment(seedPeople);
  billing = await startBillingProcess({
    serviceDatabaseUrl: environment.serviceDatabaseUrl('billing'),
    redisUrl: environment.redisServer.url,
    pricingTcpPort: await freePort(),
  });
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

const vendor = (name: string): CatalogueChange => ({
  op: 'put',
  section: 'vendors',
  entry: { name, description: '', icon: '' },
});
const publish = (name: string) =>
  environment.store.publish([vendor(name)], { actor: 'ada@pricing.example', reason: `adds ${name}` });
const logged = (): Promise<{ number: number; actor: string; reason: string; after: unknown }[]> =>
  environment.database.query(
    `SELECT source_number::int AS number, actor, reason, after FROM billing.audit_log
     WHERE source = 'pricing' ORDER BY source_number`,
  );

test('every version is in the audit log once, those too that were published while billing was away', async () => {
  const proxy = await startTcpProxy({ port: Number(new URL(billing.tcpUrl).port) });
  proxy.cut();
  await publish('one');
  await publish('two');
  const client = createRequestReplyClient(
    `tcp://127.0.0.1:${proxy.port}`,
    [TEST_SERVICE_SECRET],
    TEST_ANSWER_MS,
  );
  const parts = {
    database: environment.database,
    snapshots: environment.store,
    billing: client,
    logger: silent,
  };
  const reports = [startVersionReports(parts), startVersionReports(parts)];
  proxy.restore();
  await waitFor(async () => (await logged()).length === 2, 'both versions', 15_000);
  await publish('three');
  await waitFor(async () => (await logged()).length === 3, 'the third version', 5_000);
  expect(await logged()).toEqual(
    ['one', 'two', 'three'].map((name, index) => ({
      number: index + 1,
      actor: 'ada@pricing.example',
      reason: `adds ${name}`,
      after: { changes: [{ section: 'vendors', name, change: 'added' }] },
    })),
  );
  await Promise.all(reports.map((report) => report.close()));
  client.close();
  await proxy.stop();
});

test('a line in the log that claims a later version hides none that was published', async () => {
  await environment.database.query(
    `INSERT INTO billing.audit_log (id, at, source, source_number, actor, action, object, reason)
     VALUES (gen_random_uuid(), now(), 'pricing', 999999, 'somebody', 'catalogue.publish', 'catalogue version 999999', '')`,
  );
  await publish('four');
  const client = createRequestReplyClient(billing.tcpUrl, [TEST_SERVICE_SECRET], TEST_ANSWER_MS);
  const parts = {
    database: environment.database,
    snapshots: environment.store,
    billing: client,
    logger: silent,
  };
  const reports = startVersionReports(parts);
  const isLogged = async () => (await logged()).some(({ reason }) => reason === 'adds four');
  await waitFor(isLogged, 'the version that was published since', 5_000);
  await reports.close();
  client.close();
});
