import { Abortable, type AbortNotice, sleepUnless } from './abort-notice.ts';

/** What those hear, in their order, who listen to one that is aborted. */
function tellAll(aborts: Pick<AbortController, 'abort'>, signal: AbortNotice) {
  const heard: string[] = [];
  const later = () => void heard.push('later');
  signal.addEventListener('abort', () => {
    heard.push('first');
    signal.removeEventListener('abort', later);
  });
  signal.addEventListener('abort', later);
  const gone = () => void heard.push('gone');
  signal.addEventListener('abort', gone);
  signal.removeEventListener('abort', gone);
  signal.addEventListener('abort', () => void heard.push('last'));
  aborts.abort();
  aborts.abort();
  signal.addEventListener('abort', () => void heard.push('too late'));
  return { heard, aborted: signal.aborted };
}

test('it tells what an AbortSignal tells', () => {
  const own = new Abortable();
  const standard = new AbortController();
  const heard = tellAll(own, own);
  expect(heard).toEqual({ heard: ['first', 'last'], aborted: true });
  expect(tellAll(standard, standard.signal)).toEqual(heard);
});

test('a wait ends when it is aborted, at once where it was before, and else by itself', async () => {
  const aborts = new Abortable();
  const waiting = sleepUnless(aborts, 60_000);
  aborts.abort();
  await waiting;
  await sleepUnless(aborts, 60_000);
  const beganAt = performance.now();
  await sleepUnless(new Abortable(), 20);
  expect(performance.now() - beganAt).toBeGreaterThan(15);
});
