import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type RunningStack } from '@tollgate/harness';
import { type TestStack, signIn } from '../shared-stack.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';
import { type Collector, startCollector } from './collector.ts';

export interface OwnStack extends TestStack {
  readonly stack: RunningStack;
  /** Where its traces go. */
  readonly collector: Collector;
  close(): Promise<void>;
}

let opened: Promise<OwnStack> | undefined;

/** The one stack of these tests, which tells all it can. */
export const openOwnStack = (): Promise<OwnStack> => (opened ??= start());

async function start(): Promise<OwnStack> {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-telemetry-'));
  const collector = await startCollector();
  const env = { LOG_LEVEL: 'trace', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const stack = await startTestStack({ home, port: await freePort(), env: () => Promise.resolve(env) });
  return {
    ...stack,
    home,
    stack,
    collector,
    cookie: await signIn(stack.baseUrl, testAdmin),
    async close() {
      await stack.stop();
      await collector.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
