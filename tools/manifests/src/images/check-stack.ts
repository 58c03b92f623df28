import { waitFor } from '@tollgate/harness';
import { z } from 'zod';
import type { ComposedStack } from './composed-stack.ts';
import type { Podman } from './podman.ts';

const BOOKED_MS = 120_000;
/** What a gateway is given to end in: compose's `stop_grace_period`. */
const STOP_S = '330';
/** More of a form than a gateway keeps in memory. */
const LARGE_BYTES = 1_000_000;
const SERVICES = ['simulator', 'pricing', 'billing', 'gateway-1', 'gateway-2'] as const;
const chatAnswer = z.object({ choices: z.array(z.object({ message: z.object({ content: z.string() }) })) });

const expectThat = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(`It does not hold that ${what}.`);
};

async function ask(url: string, apiKey: string, text: string): Promise<string> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim-chat', messages: [{ role: 'user', content: text }] }),
  });
  if (!answer.ok) throw new Error(`A request was answered ${answer.status}: ${await answer.text()}`);
  return chatAnswer.parse(await answer.json()).choices[0]?.message.content ?? '';
}

const rowsOf = async (stack: ComposedStack): Promise<number> =>
  Number(await stack.query('SELECT count(*) FROM billing.usage'));

const untilRows = (stack: ComposedStack, rows: number) =>
  waitFor(async () => (await rowsOf(stack)) >= rows, `${rows} rows of usage`, BOOKED_MS, 500);

/** Containers run as nobody, on files that they cannot change. */
async function checkConfinement(podman: Podman): Promise<void> {
  for (const name of SERVICES) {
    const user = (await podman.run(['exec', name, 'id', '-u'])).trim();
    expectThat(user === '10001', `${name} runs as 10001, not ${user}`);
    const wrote = await podman.run(['exec', name, 'bash', '-c', 'echo >> /app/package.json || echo refused']);
    expectThat(wrote.trim() === 'refused', `${name} cannot write to its files`);
    const held = await podman.run(['exec', name, 'grep', 'CapEff', '/proc/1/status']);
    expectThat(/CapEff:\s+0+\s/.test(held), `${name} has no capability`);
    const listed = await podman.run(['exec', name, 'grep', '-c', '"purl"', '/app/sbom.spdx.json']);
    expectThat(Number(listed) > 5, `${name} holds the list of its packages`);
  }
}

/** Usage of a gateway that is killed while Redis is away is in its volume, and is booked when both are back. */
async function checkSpool(podman: Podman, stack: ComposedStack): Promise<void> {
  const before = await rowsOf(stack);
  const gateway = `http://${await stack.addressOf('gateway-1')}:3000`;
  await podman.run(['stop', '--time', '30', 'redis']);
  // Podman's name server is slow to say that a name has gone, and others wait behind it: a client asks again.
  for (let n = 0; n < 3; n += 1)
    await waitFor(
      () => ask(gateway, stack.apiKey, `without Redis ${n}`).catch(() => undefined),
      'an answer without Redis',
      BOOKED_MS,
      1_000,
    );
  await podman.run(['kill', '--signal', 'KILL', 'gateway-1']);
  await podman.run(['start', 'redis']);
  await stack.start('gateway-1');
  await untilRows(stack, before + 3);
  expectThat((await rowsOf(stack)) === before + 3, 'each of the three requests is booked once');
}

/** A large form is written to a disk, where a gateway's file system is read-only; the console's files are in the image. */
async function checkDirectories(podman: Podman, stack: ComposedStack): Promise<void> {
  for (const name of ['gateway-1', 'gateway-2']) {
    const kind = (await podman.run(['exec', name, 'stat', '-f', '-c', '%T', '/uploads'])).trim();
    expectThat(kind !== 'tmpfs', `uploads of ${name} are not kept in memory`);
  }
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(LARGE_BYTES)]), 'speech.wav');
  form.append('model', 'none');
  const answer = await fetch(`${stack.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.apiKey}` },
    body: form,
  });
  const said = await answer.text();
  expectThat(
    said.includes('model_not_found'),
    `a form of ${LARGE_BYTES} bytes is read to its end, not ${answer.status} ${said}`,
  );
  const page = await fetch(stack.url, { headers: { accept: 'text/html' } });
  const [script] = /\/console-assets\/[^"]+\.js/.exec(await page.text()) ?? [''];
  const asset = await fetch(`${stack.url}${script}`);
  expectThat(page.ok && script !== '' && asset.ok, 'the console and its program are served');
}

/** The service `cli` of compose: the doctor finds nothing, keys are listed, an export is written and fetched whole. */
async function checkCommand(stack: ComposedStack, say: (text: string) => void): Promise<void> {
  const { email, password } = stack.admin;
  const signedIn = { TOLLGATE_EMAIL: email, TOLLGATE_PASSWORD: password };
  // Services find Redis again within seconds of its return.
  const keys = await waitFor(
    () => stack.command(['keys', 'list'], signedIn).catch(() => undefined),
    'an answer to the command',
    BOOKED_MS,
    2_000,
  );
  expectThat(keys.includes('sk-'), 'the command of the image lists keys');
  say('the image of the command lists the keys');

  const found = await stack.command(['doctor']);
  const faults = found.split('\n').filter((line) => /^(?:warn|FAIL)/.test(line));
  expectThat(
    faults.every((line) => line.includes('SPOOL_DIR')),
    `the doctor finds nothing:\n${found}`,
  );
  say('the doctor finds nothing to say, but that it is shown no spool');

  const times = ['--from', '2020-01-01T00:00:00Z', '--to', '2100-01-01T00:00:00Z'];
  const files = await stack.command(['exports', 'run', ...times, '--output', '/tmp/export'], signedIn);
  expectThat(files.includes('manifest.json'), `an export is written and fetched, not ${files}`);
  say('an export is written, and fetched with the digests of its manifest');
}

/** Checks what the images promise on the composed stack. */
export async function checkStack(
  podman: Podman,
  stack: ComposedStack,
  say: (text: string) => void,
): Promise<void> {
  await checkConfinement(podman);
  say('all services run read-only, as 10001, without capabilities, with the list of their packages');

  const before = await rowsOf(stack);
  expectThat((await ask(stack.url, stack.apiKey, 'Hello')) === 'Echo: Hello', 'the simulator answers');
  await untilRows(stack, before + 1);
  const cost = await stack.query('SELECT max(cost_pico) FROM billing.usage');
  expectThat(Number(cost) > 0, 'the request is charged');
  say('a request through the proxy is answered and billed');

  await checkSpool(podman, stack);
  say('three requests while Redis was away, the gateway killed: all booked once from its volume');

  await checkDirectories(podman, stack);
  say('uploads are on a disk that takes them, and the console is served');

  await checkCommand(stack, say);

  for (const name of [...SERVICES].reverse()) {
    const from = performance.now();
    await podman.run(['stop', '--time', STOP_S, name]);
    const took = (performance.now() - from) / 1_000;
    const code = (await podman.run(['inspect', '--format', '{{.State.ExitCode}}', name])).trim();
    expectThat(code === '0', `${name} ends with 0 on SIGTERM, not ${code}`);
    say(`${name} ended in order after ${took.toFixed(1)} s`);
  }
}
