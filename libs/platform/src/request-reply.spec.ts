import { once } from 'node:events';
import { connect } from 'node:net';
import { createServer } from 'node:tls';
import { Controller, Module } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { freePort, startTcpProxy, waitFor } from '@tollgate/harness';
import { z } from 'zod';
import { serviceConfigSchema } from './config.ts';
import { Health } from './health.ts';
import { createLogger } from './logging.ts';
import { createRequestReplyClient, type RequestReplyClient } from './request-reply.ts';
import { startService } from './service.ts';
import type { RunningService } from './service-definition.ts';
import { listenerTls, type ServiceSecrets } from './service-secrets.ts';

@Controller()
class Answers {
  @MessagePattern('double')
  double(@Payload() { number }: { number: number }) {
    answered.push(number);
    return { number: 2 * number };
  }

  @MessagePattern('nothing')
  nothing() {
    return null;
  }

  @MessagePattern('fail')
  fail() {
    throw new Error('the database password is hunter2');
  }

  @MessagePattern('never')
  never() {
    return new Promise(() => {});
  }
}

@Module({ controllers: [Answers] })
class AnswersModule {}

const SECRETS = ['a secret that all services of a test share'] as const;

/** What a handler was asked. */
const answered: number[] = [];
const doubled = z.object({ number: z.int() });

let service: RunningService | undefined;
let tcpPort: number;
let client: RequestReplyClient;

const start = (secrets: ServiceSecrets = SECRETS) =>
  startService({
    name: 'answers',
    config: serviceConfigSchema.parse({ PORT: 0 }),
    logger: createLogger('answers', 'silent'),
    health: new Health(),
    module: AnswersModule,
    listener: { port: tcpPort, secrets },
  });

beforeEach(async () => {
  answered.length = 0;
  tcpPort = await freePort();
  service = await start();
  client = createRequestReplyClient(`tcp://127.0.0.1:${tcpPort}`, SECRETS);
});

afterEach(async () => {
  client.close();
  await service?.stop();
});

const ask = (number: number) => client.request('double', { number }, doubled);

test('answers each of many requests at once with its own answer', async () => {
  const numbers = Array.from({ length: 50 }, (_, index) => index);
  expect(await Promise.all(numbers.map(ask))).toEqual(numbers.map((number) => ({ number: 2 * number })));
});

test('an answer of another shape is refused', async () => {
  const other = z.object({ text: z.string() });
  await expect(client.request('double', { number: 1 }, other)).rejects.toThrow(z.ZodError);
});

test('an answer of nothing is null', async () => {
  expect(await client.request('nothing', {}, z.null())).toBeNull();
  await expect(client.request('nothing', {}, doubled)).rejects.toThrow(z.ZodError);
});

test('a pattern that nobody serves is an error', async () => {
  await expect(client.request('unknown', {}, doubled)).rejects.toBeDefined();
});

test('a handler that fails is an error that does not show why', async () => {
  const error: unknown = await client.request('fail', {}, doubled).catch((reason: unknown) => reason);
  expect(JSON.stringify(error)).toContain('Internal server error');
  expect(JSON.stringify(error)).not.toContain('hunter2');
});

test('a handler that never answers is given up after the time-out, and others are still answered', async () => {
  const givenUp = expect(client.request('never', {}, doubled, 200)).rejects.toThrow('Timeout');
  expect(await ask(4)).toEqual({ number: 8 });
  await givenUp;
});

test('a listener that takes bytes and says nothing is given up after the time-out', async () => {
  const proxy = await startTcpProxy({ port: tcpPort });
  proxy.blackhole();
  const lost = createRequestReplyClient(`tcp://127.0.0.1:${proxy.port}`, SECRETS);
  await expect(lost.request('double', { number: 1 }, doubled, 200)).rejects.toThrow('Timeout');
  lost.close();
  await proxy.stop();
});

const sayWhether = (answer: Promise<unknown>) =>
  answer.then(
    () => 'answered',
    (error: Error) => error.message,
  );

test('a connection that is lost without a word is made again', async () => {
  const proxy = await startTcpProxy({ port: tcpPort });
  const through = createRequestReplyClient(`tcp://127.0.0.1:${proxy.port}`, SECRETS, 100, 250);
  const askThrough = () => sayWhether(through.request('double', { number: 1 }, doubled));
  await waitFor(async () => (await askThrough()) === 'answered', 'the first connection');
  proxy.lose();
  expect(await askThrough()).toBe('Timeout has occurred');
  await waitFor(async () => (await askThrough()) === 'answered', 'another connection', 5_000);
  through.close();
  await proxy.stop();
});

test('one that answers others is not, however long one request takes', async () => {
  const patient = createRequestReplyClient(`tcp://127.0.0.1:${tcpPort}`, SECRETS, 20_000, 250);
  const never = [400, 600, 1_000].map((ms) => sayWhether(patient.request('never', {}, doubled, ms)));
  let isOver = false;
  const others = (async () => {
    const heard = new Set<string>();
    while (!isOver) {
      heard.add(await sayWhether(patient.request('double', { number: 1 }, doubled)));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return [...heard];
  })();
  expect(await Promise.all(never)).toEqual(never.map(() => 'Timeout has occurred'));
  isOver = true;
  expect(await others).toEqual(['answered']);
  patient.close();
});

test('nobody there is an error', async () => {
  const nobody = createRequestReplyClient(`tcp://127.0.0.1:${await freePort()}`, SECRETS);
  await expect(nobody.request('double', { number: 1 }, doubled)).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
  nobody.close();
});

test('finds a service that went away and came back', async () => {
  expect(await ask(1)).toEqual({ number: 2 });
  await service?.stop();
  service = undefined;
  await expect(client.request('double', { number: 2 }, doubled, 500)).rejects.toBeDefined();
  service = await start();
  expect(await ask(3)).toEqual({ number: 6 });
});

test('a request in flight when the connection is lost fails and does not hang', async () => {
  const proxy = await startTcpProxy({ port: tcpPort });
  const cutOff = createRequestReplyClient(`tcp://127.0.0.1:${proxy.port}`, SECRETS);
  expect(await cutOff.request('double', { number: 5 }, doubled)).toEqual({ number: 10 });
  const waiting = cutOff.request('never', {}, doubled, 5_000).catch((reason: unknown) => reason);
  proxy.cut();
  expect(await waiting).toBeDefined();
  proxy.restore();
  expect(await cutOff.request('double', { number: 6 }, doubled)).toEqual({ number: 12 });
  cutOff.close();
  await proxy.stop();
});

test.each([
  [
    'asks with a secret that the listener does not know',
    ['another secret that nobody gave to them'] as const,
  ],
  [
    'shows a new secret before the listener has it',
    ['the secret of tomorrow that it lacks so far', SECRETS[0]] as const,
  ],
])('who %s learns what is wrong, and reaches no handler', async (_, secrets) => {
  const stranger = createRequestReplyClient(`tcp://127.0.0.1:${tcpPort}`, secrets);
  await expect(stranger.request('double', { number: 1 }, doubled)).rejects.toThrow('SERVICE_SECRETS');
  stranger.close();
  expect(answered).toEqual([]);
});

test('a client does not talk to a listener that only claims to be the service', async () => {
  const port = await freePort();
  const impostor = createServer(listenerTls(['a secret of somebody else on the network']), (socket) =>
    socket.on('data', (data) => heard.push(String(data))),
  );
  const heard: string[] = [];
  await new Promise<void>((resolve) => impostor.listen(port, '127.0.0.1', resolve));
  const deceived = createRequestReplyClient(`tcp://127.0.0.1:${port}`, SECRETS);
  await expect(deceived.request('double', { number: 1 }, doubled)).rejects.toThrow('SERVICE_SECRETS');
  expect(heard).toEqual([]);
  deceived.close();
  impostor.close();
});

test('bytes in the open reach no handler, and the connection ends', async () => {
  const message = JSON.stringify({ pattern: 'double', data: { number: 3 }, id: '1' });
  const socket = connect(tcpPort, '127.0.0.1', () => socket.write(`${message.length}#${message}`));
  const said: string[] = [];
  socket.on('data', (data) => said.push(String(data)));
  socket.on('error', () => {});
  await once(socket, 'close');
  expect(said.join('')).not.toContain('response');
  expect(answered).toEqual([]);
});

test('while a secret is changed, both the former and the new one are taken', async () => {
  await service?.stop();
  service = await start(['the secret of tomorrow that all have now', SECRETS[0]]);
  const former = createRequestReplyClient(`tcp://127.0.0.1:${tcpPort}`, SECRETS);
  const changed = createRequestReplyClient(`tcp://127.0.0.1:${tcpPort}`, [
    'the secret of tomorrow that all have now',
  ]);
  expect(await former.request('double', { number: 1 }, doubled)).toEqual({ number: 2 });
  expect(await changed.request('double', { number: 2 }, doubled)).toEqual({ number: 4 });
  former.close();
  changed.close();
});
