import { parseUsd } from '@tollgate/money';
import { FIELD_RULES, ROLES } from '@tollgate/vocabulary';
import { z } from 'zod';

/** What people write about something; that it can be stored is looked at for every route. */
export const plainText = (max: number) => z.string().trim().min(1).max(max);

/** Whether a text is decimal USD, and an amount that fits. */
export function isUsd(text: string, fits: (pico: bigint) => boolean): boolean {
  try {
    return fits(parseUsd(text));
  } catch {
    return false;
  }
}

/** A request that needs nothing said. */
export const emptyBody = z.strictObject({}).meta({ examples: [{}] });

export const email = z.email().max(320);
export const personName = plainText(100).meta({ examples: ['Grace Hopper'] });
export const newPassword = z
  .string()
  .min(12, FIELD_RULES.password_too_short)
  .max(1_024)
  .meta({ examples: ['correct horse battery staple'] });

export const roleAnswer = z.enum(ROLES).meta({ id: 'Role' });
export const statusAnswer = z.enum(['active', 'disabled']);
