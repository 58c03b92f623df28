import { MODEL_OPERATIONS } from '@tollgate/vocabulary';
import { makeTaskModels } from '../tasks/task-models.ts';
import type { OwnSimulator } from '../pools/own-pool.ts';
import type { TestStack } from '../shared-stack.ts';

/**
 * What an upstream answers, and what its caller is told: in the format that the upstream speaks, and in another one. A refusal
 * of what the caller sent is relayed as it came where the format is the same. A credential that is refused is ours, and no
 * fault of the caller's key: hence no 401 and no 403.
 */
export const TOLD_OF_UPSTREAM = [
  { upstream: 400, same: 400, other: 400 },
  { upstream: 401, same: 502, other: 502 },
  { upstream: 403, same: 502, other: 502 },
  { upstream: 404, same: 502, other: 502 },
  { upstream: 409, same: 409, other: 400 },
  { upstream: 413, same: 413, other: 413 },
  { upstream: 422, same: 422, other: 400 },
  { upstream: 429, same: 429, other: 429 },
  { upstream: 500, same: 502, other: 502 },
  { upstream: 503, same: 503, other: 503 },
] as const;
type Status = (typeof TOLD_OF_UPSTREAM)[number]['upstream'];
type FailingName = `fails-${Status}`;

/** After these nobody asks the upstream again for a while. */
const GIVEN_UP: readonly Status[] = [401, 403, 429, 500, 503];
/** So long such an upstream thinks before it fails: all requests of a test are on their way by then. */
const THINKS_MS = 1_500;

/** A model for everything at an upstream of OpenAI's formats, which says nothing of what it is asked. */
const FAILING = {
  model: {
    operations: MODEL_OPERATIONS.filter((operation) => operation !== 'realtime'),
    prices: { input: 1_000_000, output: 1_000_000 },
    unit_prices: { images: 1_000_000, characters: 1_000_000, audio_milliseconds: 1_000, rerank_units: 1_000 },
    max_output_tokens: 100,
  },
  upstream: { protocols: ['openai-chat', 'openai-responses'] },
  atVendor: { per_million: {} },
};

/** A model for each status, whose upstream fails with it whatever it is asked for. */
export async function makeFailingModels(at: TestStack, simulator: OwnSimulator) {
  const models = Object.fromEntries(
    TOLD_OF_UPSTREAM.map(({ upstream }) => [`fails-${upstream}`, FAILING]),
  ) as Record<FailingName, typeof FAILING>;
  const made = await makeTaskModels(at, simulator.url, models);
  for (const { upstream: status } of TOLD_OF_UPSTREAM)
    await simulator.script(
      { status, first_delay_ms: GIVEN_UP.includes(status) ? THINKS_MS : 0 },
      { credential: made.names[`fails-${status}`] },
    );
  return made;
}

/** What a call throws. */
export const catchError = (ask: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(ask).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
