// A gateway whose spool is on a file system of its own, which is filled, turned read-only and given back while it serves; a
// Prometheus with our rules looks on.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@tollgate/harness';
import { parse } from 'yaml';
import { call } from '../call.ts';
import { startPrometheus } from '../telemetry/prometheus.ts';
import { type BilledClient, openBilledClient } from './billed-client.ts';
import type { FaultStack } from './fault-stack.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const NAMESPACE = ['unshare', '--user', '--map-root-user', '--mount'];
const REQUESTS = 20;

/** How the second gateway finds its spool when it starts; as it is elsewhere where this says nothing. */
let found: 'rw' | 'ro' | undefined;
/** How it ended, each time that nobody had asked it to. */
const ends: string[] = [];

export const giveDisk = (service: string): readonly string[] =>
  found && service === 'gateway-2'
    ? [
        ...NAMESPACE,
        ...['sh', '-c'],
        `mkdir -p "$SPOOL_DIR" && mount -t tmpfs -o size=128k,mode=0700,${found} spool "$SPOOL_DIR" && exec "$@"`,
        'sh',
      ]
    : [];
export const noteEnd = (service: string, how: string): void => {
  if (service === 'gateway-2') ends.push(how);
};

/** Some machines, such as containers without the right to, allow no mounts; only Linux has namespaces. */
function requireMounts(): void {
  const [unshare = '', ...flags] = NAMESPACE;
  const mount = [...flags, 'mount', '-t', 'tmpfs', 'none', '/mnt'];
  if (spawnSync(unshare, mount, { stdio: 'ignore' }).status !== 0)
    throw new Error(
      'Nothing may be mounted here, so no disk of a gateway turns read-only: that takes Linux with user namespaces.',
    );
}

/** A gateway whose disk changes under it. */
export function ownDiskTests(stack: () => FaultStack): void {
  let url: string;
  let client: BilledClient;
  let prometheus: Awaited<ReturnType<typeof startPrometheus>>;

  const gateway = () => stack().service('gateway-2');
  const readiness = () =>
    call(`${url}/readyz`).then(
      ({ status }) => status,
      () => undefined,
    );
  const untilReady = () => waitFor(async () => (await readiness()) === 200, 'the gateway', 20_000);
  const restart = async () => {
    await gateway().stop();
    gateway().start();
    await untilReady();
  };
  /** Runs a command where the gateway sees its disk, in its spool. */
  const onDisk = (command: string) =>
    spawnSync(
      'nsenter',
      [
        ...[`--target=${gateway().pid()}`, '--user', '--mount', '--preserve-credentials'],
        ...[
          'sh',
          '-c',
          command.replaceAll('SPOOL', `"$(sed -n 's/^spool \\(\\S*\\) tmpfs .*/\\1/p' /proc/mounts)"`),
        ],
      ],
      { encoding: 'utf8' },
    );
  const remount = (how: 'ro' | 'rw') =>
    // A file that is written to keeps it as it is.
    waitFor(() => onDisk(`mount -o remount,${how} SPOOL`).status === 0, `the disk to turn ${how}`, 20_000);
  const untilEmpty = () => waitFor(() => onDisk('ls -A SPOOL').stdout === '', 'an empty spool', 20_000);
  const askMany = async () => {
    const answers = await Promise.all(
      Array.from({ length: REQUESTS }, (_, n) => client.ask({ url, stream: n % 2 === 1 })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(REQUESTS).fill(200));
  };
  const fires = (alert: string) =>
    prometheus && waitFor(async () => (await prometheus?.firing())?.includes(alert), alert, 20_000);

  beforeAll(async () => {
    requireMounts();
    url = stack().gatewayUrls[1] ?? '';
    client = await openBilledClient(stack());
    found = 'rw';
    await restart();
    const rules = parse(readFileSync(join(ROOT, 'k8s/components/monitoring/alerts.yaml'), 'utf8')) as {
      spec: object;
    };
    prometheus = await startPrometheus({ gateway: url }, rules.spec);
    if (!prometheus) throw new Error('There is no Prometheus here: apt-get install prometheus brings it.');
    await client.ask({ url });
    // A counter that has risen before it was first looked at has not risen.
    const isSeen = async () => (await prometheus?.count('tollgate_gateway_spool_refusals_total')) === 1;
    await waitFor(isSeen, 'the first look of Prometheus', 20_000);
  }, 120_000);

  afterAll(async () => {
    await prometheus?.stop();
    if (found === undefined) return;
    found = undefined;
    await restart();
  }, 60_000);

  test('it fills up under load: all is booked once, the alert fires, and what is there is booked after', async () => {
    expect(await prometheus?.firing()).not.toContain('TollgateSpoolRefused');
    await askMany();
    await untilEmpty();
    const filled = onDisk('dd if=/dev/zero of=SPOOL/filler bs=512');
    expect(filled.stderr).toContain('No space left');
    await askMany();
    await fires('TollgateSpoolRefused');
    await client.settled();
    expect(onDisk('rm SPOOL/filler').status).toBe(0);
    await askMany();
    await client.settled();
    // Lines that were cut off were taken back: nothing is damaged, and nothing stays.
    await untilEmpty();
  }, 120_000);

  test('it turns read-only in mid-run: usage goes through the queue, and all of it is booked once', async () => {
    await askMany();
    await remount('ro');
    await askMany();
    await client.settled();
    await remount('rw');
    await askMany();
    await client.settled();
    await untilEmpty();
  }, 120_000);

  test('it is read-only while Redis and billing are away: requests are refused, the alert fires, and nothing is lost', async () => {
    await remount('ro');
    await client.ask({ url });
    await stack().redis.kill();
    await stack().service('billing').stop();
    await client.ask({ url });
    await waitFor(async () => (await client.ask({ url })).status === 503, 'the refusal');
    expect(await readiness()).toBe(503);
    await fires('TollgateUsageUnstored');
    await stack().redis.restart();
    stack().service('billing').start();
    await untilReady();
    await waitFor(async () => (await client.ask({ url })).status === 200, 'an answer', 20_000);
    await client.settled();
    await remount('rw');
  }, 120_000);

  test('it is read-only from the start: the gateway ends with 78 and says why, though it finds no prices yet', async () => {
    await gateway().stop();
    await Promise.all([stack().redis.kill(), stack().service('pricing').stop()]);
    found = 'ro';
    ends.length = 0;
    gateway().start();
    await waitFor(() => ends.length > 0, 'the end of the gateway', 20_000);
    await gateway().stop();
    expect(ends[0]).toBe('exit code 78');
    const log = readFileSync(join(stack().home, 'logs', 'gateway-2.log'), 'utf8');
    expect(log).toMatch(/SPOOL_DIR: files cannot be written to \S+ \(EROFS[^)]*\)\. Give the directory/);
    await stack().redis.restart();
    stack().service('pricing').start();
    found = 'rw';
    gateway().start();
    await untilReady();
  }, 60_000);
}
