import { countAt, textAt } from '../../json.ts';

/** What is known of the length of a sound before anybody has heard it, in milliseconds. */
interface SoundLength {
  readonly counted: number;
  /** Vendors bill whole seconds: up to the next one. */
  readonly max: number;
}

/** Speech has no fewer bytes in a second in any format that is taken; 64 kbit are what it usually has. */
const LEAST_BYTES_PER_S = 500;
const USUAL_BYTES_PER_S = 8_000;

/**
 * Measures a file of a form by its size: exactly where it is WAV without packing, whose header says how much a second has, else
 * by what a second has at least.
 */
export function measureSound(file: unknown): SoundLength {
  const bytes = countAt(file, 'bytes');
  const perSecond = readWavRate(Buffer.from(textAt(file, 'beginning'), 'base64'));
  return {
    counted: toMs(bytes, perSecond ?? USUAL_BYTES_PER_S),
    max: Math.ceil(toMs(bytes, perSecond ?? LEAST_BYTES_PER_S) / 1_000) * 1_000 + 1_000,
  };
}

const toMs = (bytes: number, perSecond: number): number => Math.ceil((bytes * 1_000) / perSecond);

/** PCM, floats, and the header that says which of them. */
const UNPACKED = new Set([1, 3, 0xfffe]);

/** Bytes of a second, as decoders work it out: by what a sample has, and not by what else the header says. */
function readWavRate(beginning: Buffer): number | undefined {
  const text = beginning.toString('latin1');
  const at = text.indexOf('fmt ', 12) + 8;
  if (!text.startsWith('RIFF') || text.slice(8, 12) !== 'WAVE' || at < 20 || at + 16 > beginning.length)
    return undefined;
  if (!UNPACKED.has(beginning.readUInt16LE(at))) return undefined;
  const channels = beginning.readUInt16LE(at + 2);
  const samples = beginning.readUInt32LE(at + 4);
  const bits = beginning.readUInt16LE(at + 14);
  const perSecond = samples * Math.min(beginning.readUInt16LE(at + 12), channels * Math.floor(bits / 8));
  return perSecond > 0 ? perSecond : undefined;
}

/** What is said to be longer is as long as this: some thirty years. */
const MAX_MS = 1_000_000_000_000n;
const DECIMAL = /^(\d{1,30})(?:\.(\d{1,40}))?(?:e([+-]?\d{1,3}))?$/i;

/** Seconds as vendors write them, a number or a text, as whole milliseconds: rounded up by their decimal digits, without any binary fraction. */
export function toMilliseconds(seconds: unknown): number | undefined {
  if (typeof seconds !== 'number' && typeof seconds !== 'string') return undefined;
  const [, whole, rest = '', exponent = '0'] = DECIMAL.exec(String(seconds)) ?? [];
  if (whole === undefined) return undefined;
  const digits = BigInt(`${whole}${rest}`);
  const places = BigInt(rest.length - Number(exponent) - 3);
  if (places <= 0n) return Number(min(digits * 10n ** -places));
  const one = 10n ** places;
  return Number(min((digits + one - 1n) / one));
}

const min = (ms: bigint): bigint => (ms < MAX_MS ? ms : MAX_MS);
