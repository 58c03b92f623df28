/** How Redis is reached. */
export type RedisTarget =
  | { readonly kind: 'server'; readonly url: string }
  | ({ readonly kind: 'cluster' } & RedisNodes)
  /** The Sentinels know which server is the master of that name. */
  | ({ readonly kind: 'sentinel'; readonly name: string; readonly db: number } & RedisNodes);

interface RedisNodes {
  readonly nodes: readonly RedisNode[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly tls: boolean;
}

export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

const MANY =
  /^redis(s?)-(cluster|sentinel):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?#@]+)(?:\/([^/?#]+)(?:\/(\d{1,3}))?)?$/;
const DEFAULT_PORT = { cluster: 6_379, sentinel: 26_379 };

/**
 * Reads `redis://…`, `rediss://…`, `redis-cluster://h1:p1,h2:p2` or `redis-sentinel://h1:p1,h2:p2/name[/db]`, the last two
 * with `rediss-` for TLS and `user:password@` before the hosts.
 *
 * @returns undefined for anything else.
 */
export function parseRedisUrl(text: string): RedisTarget | undefined {
  if (/^rediss?:\/\//.test(text)) return URL.canParse(text) ? { kind: 'server', url: text } : undefined;
  const match = MANY.exec(text);
  if (!match) return undefined;
  const [, tls, kind, username, password, hosts = '', name, db] = match;
  const nodes = hosts.split(',').map((host) => nodeOf(host, DEFAULT_PORT[kind as 'cluster' | 'sentinel']));
  if (!nodes.every((node) => node !== undefined)) return undefined;
  const common = { nodes, username: decoded(username), password: decoded(password), tls: tls === 's' };
  if (kind === 'cluster') return name === undefined ? { kind, ...common } : undefined;
  return name === undefined ? undefined : { kind: 'sentinel', name, db: Number(db ?? 0), ...common };
}

const decoded = (text: string | undefined): string | undefined =>
  text ? decodeURIComponent(text) : undefined;

function nodeOf(text: string, defaultPort: number): RedisNode | undefined {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^:[\]\s]+)(?::(\d{1,5}))?$/.exec(text);
  if (!match?.[1]) return undefined;
  const port = match[2] === undefined ? defaultPort : Number(match[2]);
  return port > 0 && port < 65_536 ? { host: match[1].replace(/^\[|\]$/g, ''), port } : undefined;
}
