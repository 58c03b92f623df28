import { join } from 'node:path';
import { USAGE_QUEUE_SHARDS_MAX } from '@tollgate/contracts';
import {
  bytes,
  HOST_NAME,
  httpUrl,
  nameList,
  milliseconds,
  originUrl,
  redisUrl,
  sealKey,
  sealKeys,
  seconds,
  serviceConfigSchema,
  serviceSecretsShape,
  tcpUrl,
  wholeNumber,
  wholeSeconds,
} from '@tollgate/platform/process';
import { z } from 'zod';
import { uploadSettings } from './upload/settings.ts';
import { websocketSettings } from './websocket/settings.ts';

const MIB = 1024 * 1024;

export const gatewayConfigSchema = serviceConfigSchema.extend({
  REDIS_URL: redisUrl.describe(
    'The Redis of all services: `redis://`, `rediss://`, `redis-cluster://` or `redis-sentinel://`',
  ),
  SEAL_KEY: sealKey.describe("Opens upstream credentials: 32 random bytes in base64, the same as pricing's"),
  SEAL_KEYS_OTHER: sealKeys.describe(
    'Further keys, comma-separated, that still or already open what they sealed; see [changing the key](operations.md#changing-seal_key)',
  ),
  BILLING_TCP_URL: tcpUrl.describe("`tcp://host:port` of billing's `TCP_PORT`"),
  PRICING_TCP_URL: tcpUrl.describe("`tcp://host:port` of pricing's `TCP_PORT`"),
  ...serviceSecretsShape,
  BILLING_HTTP_URL: httpUrl.describe('Where `/api` is passed on to'),
  PRICING_HTTP_URL: httpUrl.describe('Where `/api/pricing` and `/api/catalogue` are passed on to'),
  SPOOL_DIR: z
    .string()
    .min(1)
    .describe(
      'Keeps usage events until they are in the books; one for each gateway, on a disk that outlives it',
    ),
  USAGE_QUEUE_SHARDS: wholeNumber(1, USAGE_QUEUE_SHARDS_MAX)
    .default(1)
    .describe(
      'Queues that usage is spread over, each in a slot of its own of a Redis Cluster; billing takes from all there are',
    ),
  UNSTORED_USAGE: z
    .enum(['refuse', 'serve'])
    .default('refuse')
    .describe(
      'What happens to new requests while the disk, the queue and billing all refuse usage: `refuse` them with 503, or `serve` them; what waits in memory then is lost with the process',
    ),
  GATEWAY_PROCESSES: z
    .union([z.literal('auto'), wholeNumber(1, 128)])
    .default(1)
    .describe(
      'Processes that share the port; `auto` is one for each core, up to 8; see [processes](operations.md#processes-of-a-gateway)',
    ),
  PUBLIC_URL: originUrl
    .optional()
    .describe(
      "The address that users see, for `/api/status`; without it the request's own host. With `https://` every answer has browsers ask for nothing else from then on (HSTS)",
    ),
  CONSOLE_DIR: z
    .string()
    .min(1)
    .default(join(import.meta.dirname, '..', '..', 'console', 'dist'))
    .meta({
      description: 'The built console; where there is none, a plain page is shown',
      default_text: 'the one that was built',
    }),
  BODY_LIMIT_BYTES: bytes(1)
    .default(32 * MIB)
    .describe('The largest request body'),
  BODY_VALUES_LIMIT: wholeNumber(1)
    .default(100_000)
    .describe('JSON values in one request body: what is small as text may be large once it is parsed'),
  BODY_MEMORY_BYTES: bytes(1)
    .default(256 * MIB)
    .describe(
      'Memory of one process for request bodies above 64 KiB, packed or not, from their first byte to the end of the answer; beyond it they are a 503',
    ),
  KEY_BODY_MEMORY_BYTES: bytes(1)
    .default(128 * MIB)
    .describe('The part of `BODY_MEMORY_BYTES` that one API key may have; beyond it a request is a 429'),
  ...uploadSettings,
  ANSWER_LIMIT_BYTES: bytes(1)
    .default(64 * MIB)
    .describe('The largest upstream answer that is no stream; it is held in memory until it is whole'),
  EVENT_LIMIT_BYTES: bytes(1)
    .default(32 * MIB)
    .describe(
      'The largest event of a stream, which is held in memory until it is whole; pictures come in one event',
    ),
  PASS_HEADERS: nameList(/^[\w!#$%&'*+.^`|~-]+$/, 'names of headers')
    .transform((names) => new Set(names))
    .meta({
      description:
        'Further headers of callers that upstreams see, comma-separated; by themselves only those of the official clients pass',
      default_text: 'empty',
    }),
  AMBIENT_IDENTITY_HOSTS: nameList(
    new RegExp(`^\\.?${HOST_NAME.source.slice(1)}`),
    'names of hosts',
    '.amazonaws.com,.amazonaws.com.cn,.amazonaws.eu,.api.aws,.googleapis.com,.openai.azure.com,.services.ai.azure.com,.cognitiveservices.azure.com,.api.cognitive.microsoft.com,.openai.azure.us,.openai.azure.cn',
  )
    // An empty variable is none: the default holds.
    .transform((hosts) => hosts.filter((host) => host !== 'none'))
    .meta({
      description:
        "Hosts of upstreams that may be shown what the gateway's own identity proves, comma-separated; one that begins with a dot stands for all that end so. With `none` credentials of the catalogue alone are used",
      default_text: "those of Amazon's, Google's and Microsoft's clouds",
    }),
  MAX_HOPS: wholeNumber(0)
    .default(1)
    .describe(
      'Other deployments of Tollgate that a request may have come through; one that comes back is always refused',
    ),
  REQUEST_TIMEOUT_S: wholeSeconds(1)
    .default(60)
    .describe('Seconds that a client may take to send its whole request, unless it is a form with files'),
  HEADERS_TIMEOUT_S: wholeSeconds(1)
    .default(20)
    .describe('Seconds for the head of a request, and for the first one on a new connection'),
  BODY_BYTES_PER_S: bytes(0)
    .default(500)
    .describe('A body that comes more slowly for more than five seconds is given up'),
  CONNECTIONS_PER_ADDRESS: wholeNumber(1)
    .default(10_000)
    .describe('Connections of one client address, but for `TRUSTED_PROXIES`'),
  ...websocketSettings,
  REQUEST_LOG_PER_MINUTE: wholeNumber(0)
    .default(300)
    .describe(
      'Requests without a charge of which one process keeps what became of them, for one account a minute; beyond it they are counted only',
    ),
  WRONG_KEYS_PER_MINUTE: wholeNumber(1)
    .default(60)
    .describe('Wrong API keys of one client address that are looked up'),
  KEEP_ALIVE_MS: milliseconds(1)
    .default(15_000)
    .describe('Silence on a stream after which a keep-alive is sent'),
  ABANDONED_READ_S: seconds(0, 3_600)
    .default(60)
    .describe(
      'How long an upstream is read on to the usage that it reports after its client has gone; one that takes longer is ended and charged what was held, and `0` reads none on',
    ),
  ABANDONED_READS_PER_KEY: wholeNumber(0)
    .default(100)
    .describe('Upstreams that one process reads on at once for one API key; the next is ended and charged'),
  ABANDONED_READS: wholeNumber(0).default(1_000).describe('The same for all keys together'),
  DRAIN_S: seconds(0)
    .default(5)
    .describe('Seconds after SIGTERM that it goes on taking requests while `/readyz` says no'),
  REDIS_TIMEOUT_MS: milliseconds(1)
    .default(250)
    .describe('How long Redis may take for one command before the gateway decides without it'),
  IDEMPOTENCY_TTL_S: wholeSeconds(1)
    .default(86_400)
    .describe('How long the answer of a request with an `Idempotency-Key` is kept for its repeats'),
  IDEMPOTENCY_ANSWER_BYTES: bytes(0).default(MIB).describe('Larger answers are not kept; `0` keeps none'),
  IDEMPOTENCY_ACCOUNT_BYTES: bytes(0)
    .default(64 * MIB)
    .describe(
      'What Redis keeps of the answers of one account at most; what does not fit is answered and not kept',
    ),
  IDEMPOTENCY_BYTES: bytes(0)
    .default(512 * MIB)
    .describe('The same of all accounts together; well below the memory of Redis'),
  IDEMPOTENCY_WAIT_S: seconds(0).default(60).describe('How long a repeat waits for the first at most'),
  KEPT_RESPONSES_TTL_S: wholeSeconds(1)
    .default(28_800)
    .describe(
      'How long a converted answer can be named by its id on the Responses route, as clients do that do not say `store: false`',
    ),
  KEPT_RESPONSE_BYTES: bytes(0)
    .default(MIB / 4)
    .describe('Larger answers are not kept for that, nor larger inputs; `0` keeps none'),
  KEPT_RESPONSES_ACCOUNT_BYTES: bytes(0)
    .default(32 * MIB)
    .describe(
      'What Redis keeps for that of one account at most, half of it for inputs; what does not fit is answered and not kept',
    ),
  KEPT_RESPONSES_BYTES: bytes(0)
    .default(256 * MIB)
    .describe('The same of all accounts together; well below the memory of Redis'),
  PUBLIC_REQUESTS_PER_MINUTE: wholeNumber(1)
    .default(120)
    .describe('Requests to the public status route for each client address'),
});
export type GatewayConfig = z.infer<typeof gatewayConfigSchema>;
