import type { MigrationInterface } from 'typeorm';
import { Baseline1764000200000 } from './1-baseline.ts';
import { UnitsAndLines1764100000000 } from './2-units-and-lines.ts';

export type Migrations = readonly [new () => MigrationInterface, ...(new () => MigrationInterface)[]];

/** In the order in which they are run. What has landed is frozen: a change is a new migration at the end. */
export const MIGRATIONS: Migrations = [Baseline1764000200000, UnitsAndLines1764100000000];
