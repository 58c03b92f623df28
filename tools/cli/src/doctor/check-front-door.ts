import { fail, type Finding, ok, warn } from './finding.ts';

/** Whether the gateway at the base URL is ready for requests. */
export async function checkFrontDoor(url: string): Promise<Finding> {
  const what = `gateway ${url}`;
  try {
    const answer = await fetch(`${url.replace(/\/+$/, '')}/readyz`, { signal: AbortSignal.timeout(5_000) });
    const text = (await answer.text()).slice(0, 300);
    return answer.ok
      ? ok(what, 'ready')
      : warn(what, `not ready: ${text}`, 'Wait until it has started; its log says what it waits for.');
  } catch (error) {
    return fail(what, (error as Error).message, 'Check TOLLGATE_URL and that the gateway runs.');
  }
}
