import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type AddressClass =
  | 'public'
  | 'loopback'
  | 'private'
  | 'carrier-nat'
  | 'benchmarking'
  | 'link-local'
  | 'metadata'
  | 'multicast'
  | 'unspecified'
  | 'documentation'
  /** A tunnel or translation whose far end is not the address that is connected to. */
  | 'transition'
  | 'reserved'
  | 'invalid';

/** Where an operator may run an upstream, e.g. beside the gateway or in the same data centre. */
const ALLOWED_IF_PRIVATE: ReadonlySet<AddressClass> = new Set([
  'public',
  'loopback',
  'private',
  'carrier-nat',
  'benchmarking',
]);

/** Where clouds hand out the credentials of the machine; some lie in ranges that are otherwise harmless. */
const METADATA = new Set(
  [
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
  ].map((text) => ipaddr.parse(text).toString()),
);

const CLASS_OF_RANGE: Readonly<Record<string, AddressClass>> = {
  unicast: 'public',
  loopback: 'loopback',
  private: 'private',
  uniqueLocal: 'private',
  carrierGradeNat: 'carrier-nat',
  benchmarking: 'benchmarking',
  linkLocal: 'link-local',
  multicast: 'multicast',
  unspecified: 'unspecified',
  '6to4': 'transition',
  teredo: 'transition',
  rfc6145: 'transition',
};

const V4_DOCUMENTATION = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'].map((each) => v4Block(each));
const V4_BENCHMARKING = v4Block('198.18.0.0/15');
const V6_DOCUMENTATION = ['2001:db8::/32', '3fff::/20'].map((each) => v6Block(each));
/** The well-known prefix of NAT64: the address behind it is the one that is reached. */
const NAT64 = v6Block('64:ff9b::/96');
/** NAT64 inside one network. */
const LOCAL_NAT64 = v6Block('64:ff9b:1::/48');
const SIX_TO_FOUR = v6Block('2002::/16');
const V4_COMPATIBLE = v6Block('::/96');
const V4_TRANSLATED = v6Block('::ffff:0:0:0/96');
/** All that is given out for use on the Internet. */
const GLOBAL_UNICAST = v6Block('2000::/3');

/** What kind of address this is, as far as a connection to it could reach what is not meant for everybody. */
export function classifyAddress(address: string): AddressClass {
  const text = address.includes(':') ? withoutDots(address) : address;
  if (text === undefined || !ipaddr.isValid(text)) return 'invalid';
  const parsed = ipaddr.process(text);
  return parsed instanceof ipaddr.IPv4 ? classifyV4(parsed) : classifyV6(parsed);
}

/** ipaddr.js takes `::8.8.8.8` for an IPv4-mapped address; to the operating system it is another one. */
function withoutDots(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined;
  return address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)/, (_all, ...octets: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = octets.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
}

function classifyV4(address: ipaddr.IPv4): AddressClass {
  if (METADATA.has(address.toString())) return 'metadata';
  if (V4_DOCUMENTATION.some((block) => address.match(block))) return 'documentation';
  if (address.match(V4_BENCHMARKING)) return 'benchmarking';
  return CLASS_OF_RANGE[address.range()] ?? 'reserved';
}

function classifyV6(address: ipaddr.IPv6): AddressClass {
  if (METADATA.has(withoutZone(address))) return 'metadata';
  if (V6_DOCUMENTATION.some((block) => address.match(block))) return 'documentation';
  const range = CLASS_OF_RANGE[address.range()];
  if (address.match(NAT64)) return classifyV4(embedded(address, 12));
  if (address.match(LOCAL_NAT64)) return 'private';
  if (address.match(SIX_TO_FOUR)) return tunnelTo(classifyV4(embedded(address, 2)));
  if (address.match(V4_TRANSLATED)) return tunnelTo(classifyV4(embedded(address, 12)));
  if (range === 'loopback' || range === 'unspecified') return range;
  if (address.match(V4_COMPATIBLE)) return tunnelTo(classifyV4(embedded(address, 12)));
  if (isIsatap(address)) return tunnelTo(classifyV4(embedded(address, 12)));
  if (range === 'public' && !address.match(GLOBAL_UNICAST)) return 'reserved';
  return range ?? 'reserved';
}

/** A tunnel is no way to a public upstream either: no provider is reached through one. */
const tunnelTo = (inner: AddressClass): AddressClass => (inner === 'public' ? 'transition' : inner);

/** An interface identifier that tunnels IPv6 to the IPv4 address at its end (RFC 5214). */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe;
}

const embedded = (address: ipaddr.IPv6, from: number): ipaddr.IPv4 =>
  new ipaddr.IPv4(address.toByteArray().slice(from, from + 4));

const withoutZone = ({ parts }: ipaddr.IPv6): string => new ipaddr.IPv6(parts).toString();

function v4Block(block: string): [ipaddr.IPv4, number] {
  return ipaddr.IPv4.parseCIDR(block);
}

function v6Block(block: string): [ipaddr.IPv6, number] {
  return ipaddr.IPv6.parseCIDR(block);
}

export class UpstreamAddressError extends Error {
  readonly code = 'ERR_UPSTREAM_ADDRESS';
  override readonly name = 'UpstreamAddressError';

  constructor(
    readonly host: string,
    readonly addressClass: AddressClass,
  ) {
    super(`The host "${host}" of this upstream is not reached: its address is ${addressClass}.`);
  }
}

export interface AddressPolicy {
  /**
   * Upstreams may be on this machine or in a private network. Metadata services, link-local, multicast and reserved
   * addresses stay forbidden: no upstream is there.
   */
  readonly allowPrivate?: boolean;
}

/**
 * Every address of a host must be allowed: a name that has a public address and a private one besides is not one that
 * a provider would have.
 *
 * @throws UpstreamAddressError
 */
export function assertPublic(host: string, addresses: readonly string[], policy: AddressPolicy = {}): void {
  for (const address of addresses) {
    const found = classifyAddress(address);
    const allowed = policy.allowPrivate ? ALLOWED_IF_PRIVATE.has(found) : found === 'public';
    if (!allowed) throw new UpstreamAddressError(host, found);
  }
}

/**
 * Refuses a host that is itself a forbidden address; a name passes, because what it resolves to is known only when it
 * is connected to. Takes the host of a URL: parsing a URL has already made `0x7f.1` and `2130706433` to `127.0.0.1`.
 *
 * @throws UpstreamAddressError
 */
export function assertPublicHost(host: string, policy: AddressPolicy = {}): void {
  const bare = host.startsWith('[') ? host.slice(1, host.lastIndexOf(']')) : host;
  if (isIP(bare) !== 0) assertPublic(host, [bare], policy);
}
