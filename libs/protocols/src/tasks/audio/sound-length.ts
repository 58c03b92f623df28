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

/** Seconds as vendors write them, a number or a text, as whole milliseconds: rounded up, without any binary fraction. */
export function toMilliseconds(seconds: unknown): number | undefined {
  if (typeof seconds !== 'number' && typeof seconds !== 'string') return undefined;
  const text = String(seconds);
  const tiny = /^\d(?:\.\d+)?e-\d+$/.test(text) && Number(text) > 0;
  if (tiny) return 1;
  const [, whole = '', rest = ''] = /^(\d{1,9})(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '') return undefined;
  const more = /[1-9]/.test(rest.slice(3)) ? 1 : 0;
  return Number(whole) * 1_000 + Number(rest.slice(0, 3).padEnd(3, '0')) + more;
}
