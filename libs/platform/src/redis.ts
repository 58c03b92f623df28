import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, Command, Redis, type RedisOptions, SentinelConnector } from 'ioredis';
import { createLogger, type Logger } from './logging.ts';
import { nodeInTurn } from './node-in-turn.ts';
import { parseRedisUrl, type RedisTarget } from './redis-url.ts';

const RECONNECT_MS = { initial: 50, max: 1_000 };
/** A cluster's map is read this often: after a fail-over it names the new master. */
const MAP_EVERY_MS = 1_000;
/** A queue that is still lost is in the log so often. */
const LOST_EVERY_MS = 60_000;

interface TimedCommand extends Pick<Command, 'isSettled' | 'reject'> {
  /** ioredis clears it when the command ends. */
  _commandTimeoutTimer?: NodeJS.Timeout;
}

/**
 * A process that stood still for longer than a time-out (no CPU, a long collection) finds its timers due before it has read
 * what came meanwhile: an answer that was there in time would count as missed. One turn of the event loop reads it first.
 */
Object.assign(Command.prototype, {
  setTimeout(this: TimedCommand, ms: number): void {
    this._commandTimeoutTimer ??= setTimeout(() => {
      setImmediate(() => {
        if (!this.isSettled) this.reject(new Error('Command timed out'));
      });
    }, ms);
  },
});

/**
 * ioredis hears from the Sentinels when they name another master, and closes its connection then. It goes on listening while it
 * looks for the master after a loss, when there is nothing to close: a word that came before a Sentinel had answered ended the
 * connection for good ("end"), and nothing was tried again. Who looks for the master need not be told that there is another one.
 */
class PatientSentinels extends SentinelConnector {
  /** As ioredis makes it: the types have no form for a connector of its own. */
  constructor(options: unknown) {
    super(options as ConstructorParameters<typeof SentinelConnector>[0]);
  }

  /** A connection was made, and with it what hears of another master. */
  #isMade = false;

  override async connect(
    ...given: Parameters<SentinelConnector['connect']>
  ): ReturnType<SentinelConnector['connect']> {
    // Whoever disconnects is told nothing any more. Once for each connection: each time leaves a listener at its socket.
    if (this.#isMade) super.disconnect();
    this.#isMade = false;
    const stream = await super.connect(...given);
    this.#isMade = true;
    return stream;
  }
}

/** Reconnects for ever, soon at first and then once a second. */
const retryStrategy = (attempt: number): number =>
  Math.min(RECONNECT_MS.initial * 2 ** Math.min(attempt, 6), RECONNECT_MS.max);

/**
 * A connection for commands on a request's path: a command fails at once while Redis is away, and after
 * `timeoutMs` when Redis does not answer, so that a caller can fall back instead of hanging.
 */
export function connectRedis(url: string, logger: Logger, options: { timeoutMs?: number } = {}): Redis {
  return open(url, logger, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: options.timeoutMs ?? 1_000,
    connectTimeout: 2_000,
  });
}

/**
 * Waits until every server can be asked, and no longer than `maxMs`: who can do without Redis starts without it too.
 */
export async function waitUntilConnected(redis: Redis, maxMs: number): Promise<void> {
  const until = performance.now() + maxMs;
  while (!isConnected(redis) && performance.now() < until) await sleep(5);
}

/** Before this a Redis that starts beside whoever needs it is not spoken of. */
const UNSAID_MS = 2_000;

/**
 * For a program that can do nothing without Redis, and may start together with it: waits, which is said.
 *
 * @throws once it was not there for `waitMs`; it is given up then.
 */
export async function requireConnected(redis: Redis, waitMs = 60_000): Promise<void> {
  await waitUntilConnected(redis, Math.min(UNSAID_MS, waitMs));
  if (isConnected(redis)) return;
  process.stderr.write('Waiting for Redis\n');
  await waitUntilConnected(redis, waitMs);
  if (isConnected(redis)) return;
  redis.disconnect();
  throw new Error(
    `Redis was not there for ${Math.round(waitMs / 1_000)} seconds. See that it runs and that REDIS_URL names it.`,
  );
}

const isConnected = (redis: Redis): boolean =>
  redis.status === 'ready' && listMasters(redis).every(({ status }) => status === 'ready');

/** The servers that commands go to: all masters of a cluster, else the one that it is connected to. */
export const listMasters = (redis: Redis): readonly Redis[] =>
  redis.isCluster ? (redis as unknown as Cluster).nodes('master') : [redis];

/**
 * A connection for somebody who looks at Redis: it is made now, and nothing is tried again. Of a cluster it is there as
 * soon as one node has told of the others.
 *
 * @throws with the reason when there is none within `timeoutMs`, which is also how long a command may take.
 */
export async function connectRedisOnce(url: string, timeoutMs: number): Promise<Redis> {
  const patience = { maxRetriesPerRequest: 0, connectTimeout: timeoutMs, commandTimeout: timeoutMs };
  const redis = open(url, createLogger('redis', 'silent'), patience, 'once');
  let reason = `no answer within ${timeoutMs} ms`;
  const note = (error: Error & { lastNodeError?: Error }) =>
    (reason = (error.lastNodeError ?? error).message);
  redis.once('error', note);
  let failed = false;
  redis.connect().catch(() => (failed = true));
  const until = performance.now() + timeoutMs;
  while (redis.status !== 'ready' && redis.status !== 'end' && !failed && performance.now() < until)
    await sleep(5);
  if (redis.status === 'ready') return redis;
  redis.disconnect();
  throw new Error(reason);
}

/** A connection for a BullMQ worker, whose blocking commands wait as long as they must. */
export function connectRedisForWorker(url: string, logger: Logger): Redis {
  return saysItsEnd(open(url, logger, { maxRetriesPerRequest: null, connectTimeout: 2_000 }));
}

/**
 * BullMQ closes a worker once its copy of the connection has said that it ended. Told to between two tries, when no
 * connection is there to end, ioredis says nothing, and the worker would never close: then it is as before the first try.
 */
function saysItsEnd(redis: Redis): Redis {
  const disconnect = redis.disconnect.bind(redis);
  const duplicate = redis.duplicate.bind(redis);
  redis.disconnect = (reconnect = false) => {
    if (!reconnect && redis.status === 'reconnecting') redis.status = 'wait';
    disconnect(reconnect);
  };
  redis.duplicate = (...options) => saysItsEnd(duplicate(...options));
  return redis;
}

/**
 * A connection for publish/subscribe; it subscribes again by itself after a loss. In a cluster every node hears every
 * event, so it is a connection to one of them, and to the next when that one is lost.
 */
export function connectRedisSubscriber(url: string, logger: Logger): Redis {
  const options = { maxRetriesPerRequest: null, connectTimeout: 2_000, autoResubscribe: true };
  const target = targetOf(url);
  if (target.kind !== 'cluster') return open(url, logger, options);
  const redis = new Redis({
    ...options,
    ...credentialsOf(target),
    keepAlive: 10_000,
    replyMapping: 'legacy',
    Connector: nodeInTurn(target.nodes, target.tls),
    retryStrategy,
  });
  return logConnection(redis, logger);
}

/**
 * A cluster is handed out as what a single server is: it has the same commands. What is different: a command may name
 * only keys of one slot, and `scan` sees one node alone.
 */
function open(
  url: string,
  logger: Logger,
  options: RedisOptions,
  life: 'lasting' | 'once' = 'lasting',
): Redis {
  const target = targetOf(url);
  const retry = life === 'once' ? () => null : retryStrategy;
  const connecting = life === 'once' ? { lazyConnect: true } : {};
  const common = { keepAlive: 10_000, ...connecting, ...options, replyMapping: 'legacy' as const };
  if (target.kind === 'server')
    return logConnection(new Redis(target.url, { retryStrategy: retry, ...common }), logger);
  const many = { ...common, ...credentialsOf(target) };
  if (target.kind === 'sentinel') {
    const { nodes, name, db } = target;
    const sentinels = nodes.map(({ host, port }) => ({ host, port }));
    const redis = new Redis({
      ...many,
      Connector: PatientSentinels,
      sentinels,
      name,
      db,
      retryStrategy: retry,
      sentinelRetryStrategy: retry,
      failoverDetector: true,
      // A master that was told to be a replica says so: it is left for the new one.
      reconnectOnError: ({ message }: Error) => (message.startsWith('READONLY') ? 1 : false),
    });
    return logConnection(redis, logger);
  }
  const { enableOfflineQueue, ...ofNodes } = many;
  const cluster = new Cluster([...target.nodes], {
    ...(enableOfflineQueue === false ? { enableOfflineQueue, ...NO_RETRIES } : {}),
    slotsRefreshInterval: MAP_EVERY_MS,
    clusterRetryStrategy: retry,
    ...(life === 'once' ? { ...connecting, enableReadyCheck: false, ...NO_RETRIES } : {}),
    redisOptions: ofNodes,
  });
  // One that is connected by its first command would refuse those that come at the same time.
  cluster.on('+node', (node: Redis) => void node.connect().catch(() => {}));
  return logConnection(cluster as unknown as Redis, logger);
}

/** What failed is not sent again later: whoever sent it has decided without it by then. */
const NO_RETRIES = { retryDelayOnFailover: 0, retryDelayOnClusterDown: 0, retryDelayOnTryAgain: 10 };

function targetOf(url: string): RedisTarget {
  const target = parseRedisUrl(url);
  if (!target) throw new Error('not the address of a Redis');
  return target;
}

function credentialsOf({ username, password, tls }: Exclude<RedisTarget, { kind: 'server' }>) {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
  };
}

function logConnection(redis: Redis, logger: Logger): Redis {
  let away = false;
  redis.on('error', (error: Error) => {
    if (!away) logger.warn({ event: 'redis_lost', reason: error.message }, 'Redis is away');
    away = true;
  });
  redis.on('ready', () => {
    if (away) logger.info({ event: 'redis_restored' }, 'Redis is back');
    away = false;
  });
  return redis;
}

/**
 * Calls `say` when queues and workers on this connection have lost it, and then once a minute until Redis is back: BullMQ
 * reports each try of each of its own connections, of which some come back later than this one.
 */
export function onQueueLost(
  sources: readonly { on(event: 'error', listener: (error: Error) => void): unknown }[],
  redis: Redis,
  say: (reason: string) => void,
): void {
  let saidAt = -Infinity;
  let isBack = false;
  for (const source of sources) {
    source.on('error', ({ message }) => {
      const isLostAgain = isBack && redis.status !== 'ready';
      if (!isLostAgain && performance.now() < saidAt + LOST_EVERY_MS) return;
      isBack = false;
      saidAt = performance.now();
      say(message);
    });
  }
  redis.on('ready', () => (isBack = true));
}
