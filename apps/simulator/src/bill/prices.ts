import { z } from 'zod';
import { TIERS } from '../extras.ts';
import { TOKEN_KINDS, TOOL_KINDS } from './billed.ts';

/** Digits of a decimal text as a whole number of its last place. */
function shift(text: string, places: number): bigint {
  const [whole = '', rest = ''] = text.split('.');
  return BigInt(whole + rest.padEnd(places, '0'));
}

const decimal = (places: number) =>
  z
    .string()
    .regex(new RegExp(String.raw`^\d{1,9}(\.\d{1,${places}})?$`), `a decimal of at most ${places} places`)
    .transform((text) => shift(text, places));

/** Millionths of a dollar for a million tokens are pico-USD for one, and billionths for a thousand calls as well. */
const modelSchema = z.strictObject({
  /** USD for a million tokens. */
  per_million: z.partialRecord(z.enum(TOKEN_KINDS), decimal(6)),
  /** USD for a thousand calls of a tool. */
  per_thousand: z.partialRecord(z.enum(TOOL_KINDS), decimal(9)).default({}),
  /** What tokens cost in a tier, and in a region, as a share of the prices above: in thousandths. */
  tiers: z.partialRecord(z.enum(TIERS), decimal(3)).default({}),
  regions: z.record(z.string(), decimal(3)).default({}),
});

const pricesSchema = z.record(z.string(), modelSchema);
export type VendorPrices = z.infer<typeof pricesSchema>;

/** @throws Error with what is wrong, for the caller to answer with 400. */
export function parsePrices(written: string): VendorPrices {
  try {
    return pricesSchema.parse(JSON.parse(written));
  } catch (error) {
    throw new Error(`The prices cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
