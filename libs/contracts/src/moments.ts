import { FIELD_RULES } from '@tollgate/vocabulary';
import { z } from 'zod';

/** A calendar month, such as `2026-11`. */
export const monthSchema = z.string().regex(/^(19|20|21)\d\d-(0[1-9]|1[0-2])$/, FIELD_RULES.not_a_month);

/**
 * Whether a time is one that somebody can mean. PostgreSQL knows no year 0, JavaScript writes the year 10000 otherwise
 * than PostgreSQL, and nothing is booked before 1900.
 */
function isPossible(text: string): boolean {
  const year = new Date(text).getUTCFullYear();
  return year >= 1900 && year <= 9999;
}

/** A moment that somebody asks about or decides on, with its offset from UTC. */
export const momentSchema = z.iso.datetime({ offset: true }).refine(isPossible, FIELD_RULES.not_a_moment);

/** A day of the calendar, such as `2026-11-30`. */
export const daySchema = z.iso.date().refine(isPossible, FIELD_RULES.not_a_day);
