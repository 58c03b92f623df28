import { z } from 'zod';

/**
 * Years that somebody can mean. PostgreSQL knows no year 0, JavaScript writes the year 10000 otherwise than PostgreSQL,
 * and nothing is booked before 1900.
 */
const YEARS = /^(?:19|20|21)\d\d-/;

/** A calendar month, such as `2026-11`. */
export const monthSchema = z
  .string()
  .regex(/^(19|20|21)\d\d-(0[1-9]|1[0-2])$/, 'must be a month such as "2026-11"');

/** A moment that somebody asks about or decides on, with its offset from UTC. */
export const momentSchema = z.iso
  .datetime({ offset: true })
  .refine((text) => YEARS.test(text), 'must be a time of the years 1900 to 2199');

/** A day of the calendar, such as `2026-11-30`. */
export const daySchema = z.iso
  .date()
  .refine((text) => YEARS.test(text), 'must be a day of the years 1900 to 2199');
