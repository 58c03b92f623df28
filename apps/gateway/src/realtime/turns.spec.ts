import type { Metered } from '@tollgate/metering';
import { createContextBound } from './context-bound.ts';
import type { SessionHold } from './hold.ts';
import { Turns } from './turns.ts';

/** A response that is under way, and what becomes of its hold. */
async function startTurn() {
  const became: (string | Metered)[] = [];
  const hold: SessionHold = {
    requestId: 'req_of_the_test',
    bound: { input: 500, output: 500, textOnly: false, extras: undefined, free: new Set(), costliest: {} },
    modelOutput: null,
    record: async (metered) => void became.push(metered),
    release: () => void became.push('released'),
  };
  const take = async () => ({ ok: true, hold }) as const;
  const turns = new Turns({ take, context: createContextBound(), send: () => {} });
  await turns.begin({}, {});
  turns.created('r');
  return { turns, became };
}

test.each([
  ['that failed and reports nothing', { status: 'failed' }],
  ['that failed and reports zeros', { status: 'failed', usage: { input_tokens: 0, output_tokens: 0 } }],
  ['that is whole and reports what nobody knows', { status: 'completed', usage: { credits: 5 } }],
])('what was passed on of a response %s is charged by an estimate', async (_what, response) => {
  const { turns, became } = await startTurn();
  turns.saw('r', 'response.output_text.delta', 'eight letters and more');
  await turns.done({ id: 'r', ...response }, 'complete');
  expect(became).toMatchObject([{ source: 'estimated', tokens: { output: 6 } }]);
});

test.each([
  ['failed', { status: 'failed' }],
  ['was cancelled', { status: 'cancelled' }],
])('one that %s before it brought anything, and reports nothing, is free', async (_what, response) => {
  const { turns, became } = await startTurn();
  await turns.done({ id: 'r', ...response }, 'complete');
  expect(became).toEqual(['released']);
});
