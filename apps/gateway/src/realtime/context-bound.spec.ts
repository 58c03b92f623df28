import { createContextBound } from './context-bound.ts';

const sound = (bytes: number) => ({
  type: 'input_audio_buffer.append',
  audio: Buffer.alloc(bytes).toString('base64'),
});
const message = (text: string) => ({ item: { role: 'user', content: [{ type: 'input_text', text }] } });
const SECOND = 48_000;

test('a response reads at most a token for each byte of text and for each 50 ms of sound', () => {
  const context = createContextBound();
  const before = context.read({}).max;
  context.add(message('x'.repeat(1_000)));
  const withText = context.read({}).max;
  expect(withText - before).toBeGreaterThanOrEqual(1_000);
  context.add(sound(10 * SECOND));
  expect(context.read({}).max - withText).toBeGreaterThanOrEqual(200);
  expect(context.read({}).max - withText).toBeLessThan(1_000);
});

test('what was reported stands for all that was said before it, and what came since is counted', () => {
  const context = createContextBound();
  context.add(message('x'.repeat(10_000)));
  const mark = context.mark();
  context.add(message('y'.repeat(100)));
  context.reported(mark, 3_000);
  const { max, likely } = context.read({});
  expect(max).toBeGreaterThanOrEqual(3_100);
  expect(max).toBeLessThan(5_000);
  expect(likely).toBeLessThanOrEqual(max);
});

test('what a response says in place of the session counts for it alone', () => {
  const context = createContextBound();
  const own = context.read({ instructions: 'z'.repeat(500) }).max;
  expect(own - context.read({}).max).toBeGreaterThanOrEqual(500);
});

test('sound of telephony has fewer bytes for each token', () => {
  const context = createContextBound();
  context.setSession({ audio: { input: { format: { type: 'audio/pcmu' } } } });
  const before = context.read({}).max;
  context.add(sound(8_000));
  expect(context.read({}).max - before).toBeGreaterThanOrEqual(20);
});
