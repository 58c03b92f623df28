import ipaddr from 'ipaddr.js';

/** The form in which all writings of an address or range are the same text; undefined for what is neither. */
export function normaliseAddressRange(text: string): string | undefined {
  const [address = '', bits, ...more] = text.trim().split('/');
  const parsed = parseAddress(address);
  if (!parsed || more.length > 0) return undefined;
  const whole = parsed.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return parsed.toString();
  if (!/^\d{1,3}$/.test(bits)) return undefined;
  // A range of mapped addresses counts its bits from the beginning of the sixteen bytes.
  const length = Number(bits) - (isMapped(address) ? 96 : 0);
  if (length < 0 || length > whole) return undefined;
  return length === whole ? parsed.toString() : `${network(parsed, length).toString()}/${length}`;
}

/** Whether addresses are in a list of {@link normaliseAddressRange}'s texts. */
export function addressMatcher(ranges: readonly string[]): (address: string) => boolean {
  const parsed = ranges.flatMap((range) => {
    const parts = partsOf(range);
    return parts ? [parts] : [];
  });
  return (text) => {
    const address = parseAddress(text);
    if (!address) return false;
    return parsed.some(
      ({ start, bits }) =>
        start.kind() === address.kind() &&
        network(address, bits).toString() === network(start, bits).toString(),
    );
  };
}

/** Whether every address of a range, in the form of {@link normaliseAddressRange}, is in another one. */
export function isRangeWithin(range: string, other: string): boolean {
  const [inner, outer] = [partsOf(range), partsOf(other)];
  if (!inner || !outer || inner.start.kind() !== outer.start.kind() || inner.bits < outer.bits) return false;
  return network(inner.start, outer.bits).toString() === network(outer.start, outer.bits).toString();
}

function partsOf(range: string): { readonly start: Address; readonly bits: number } | undefined {
  const [address = '', bits] = range.split('/');
  const start = parseAddress(address);
  return start && { start, bits: bits === undefined ? start.toByteArray().length * 8 : Number(bits) };
}

/** What one client may be taken for: an IPv4 address, or the /64 that an IPv6 network hands out as a whole. */
export function clientBlock(text: string): string {
  const address = parseAddress(text);
  if (!address) return text;
  return address.kind() === 'ipv4' ? address.toString() : `${network(address, 64).toString()}/64`;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const isMapped = (text: string): boolean =>
  ipaddr.IPv6.isValid(text) && ipaddr.IPv6.parse(text).isIPv4MappedAddress();

/** An IPv4 address that is written as an IPv6 one is the IPv4 one. Octal, hexadecimal and short forms are none. */
function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (text.includes('%') || !text.includes(':') || !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.IPv6.parse(text);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function network(address: Address, bits: number): Address {
  const bytes = address.toByteArray().map((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8));
    return byte & (0xff << (8 - kept)) & 0xff;
  });
  return ipaddr.fromByteArray(bytes);
}
