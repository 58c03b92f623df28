import { createLogger } from './logging.ts';
import { createMetrics } from './metrics.ts';

test('what is logged as a warning or worse is counted by the name of its event, and nothing else', async () => {
  const logger = createLogger('test', 'info', { write: () => {} });
  const metrics = createMetrics('test');
  logger.warn({ event: 'counting_failed' }, 'a job failed');
  logger.child({ part: 'one' }).error({ event: 'counting_failed' }, 'it failed for good');
  logger.warn({ event: 'counting_failed' }, 'it failed again');
  logger.info({ event: 'counting_failed' }, 'nobody minds');
  logger.warn('without a name');
  const { values } = (await metrics.getSingleMetric('tollgate_logged_faults_total')?.get()) ?? {};
  const counted = values?.filter(({ labels }) => labels['event'] === 'counting_failed');
  expect(counted?.map(({ labels, value }) => [labels['level'], value])).toEqual([
    ['warn', 2],
    ['error', 1],
  ]);
});
