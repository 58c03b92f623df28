import { waitFor } from '@tollgate/harness';
import { admin, type TestStack } from '../shared-stack.ts';

interface Shown {
  readonly upstream: string;
  readonly credential: string | null;
  readonly state: string;
  readonly gateways: readonly { state: string; breaker: string; last_error: { reason: string } | null }[];
}

async function shown(at: TestStack, upstream: string, credential: string): Promise<Shown | undefined> {
  const { upstreams } = await admin(at, 'GET', '/api/catalogue/health');
  return upstreams.find((each) => each.upstream === upstream && each.credential === credential);
}

/** Every gateway says this of a credential. */
export const settled = (at: TestStack, upstream: string, credential: string, state: string) =>
  waitFor(async () => {
    const found = await shown(at, upstream, credential);
    return (
      found?.gateways.length === at.gatewayUrls.length &&
      found.gateways.every((gateway) => gateway.state === state) &&
      found
    );
  }, `${credential} to be ${state} at every gateway`);
