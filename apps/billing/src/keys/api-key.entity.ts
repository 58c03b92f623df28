import type { HoldableField } from '@tollgate/api';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { UnitLimits } from './limits.ts';

export type FieldValue = string | number | readonly string[] | UnitLimits;

/** A field that an operator set: others may go below its value, never beyond it. Budgets are pico-USD. */
interface OperatorField {
  readonly value: FieldValue;
  readonly by: string;
  readonly at: string;
}
export type OperatorFields = Readonly<Partial<Record<HoldableField, OperatorField>>>;

/** An API key; the key itself is nowhere, only its hash. Amounts are pico-USD as decimal text. */
@Entity({ schema: 'billing', name: 'api_key' })
export class ApiKeyEntity {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ type: 'uuid', name: 'account_id' })
  accountId!: string;

  /** Whose it is, who may be gone meanwhile; null is the account's own. */
  @Column({ type: 'uuid', name: 'owner_id', nullable: true })
  ownerId!: string | null;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', name: 'key_hash' })
  keyHash!: string;

  @Column({ type: 'text' })
  masked!: string;

  @Column({ type: 'text', name: 'group_name' })
  group!: string;

  @Column({ type: 'text', default: 'active' })
  status!: 'active' | 'disabled';

  @Column({ type: 'timestamptz', name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  @Column({ type: 'numeric', name: 'budget_pico', nullable: true })
  budgetPico!: string | null;

  @Column({ type: 'numeric', name: 'budget_daily_pico', nullable: true })
  budgetDailyPico!: string | null;

  @Column({ type: 'numeric', name: 'budget_monthly_pico', nullable: true })
  budgetMonthlyPico!: string | null;

  @Column({ type: 'numeric', name: 'spent_pico', default: '0' })
  spentPico!: string;

  @Column({ type: 'int', name: 'requests_per_minute', nullable: true })
  requestsPerMinute!: number | null;

  @Column({ type: 'int', name: 'tokens_per_minute', nullable: true })
  tokensPerMinute!: number | null;

  @Column({ type: 'int', name: 'concurrent_requests', nullable: true })
  concurrentRequests!: number | null;

  @Column({ type: 'jsonb', name: 'units_per_minute', nullable: true })
  unitsPerMinute!: UnitLimits | null;

  /** Null is every model of its group. */
  @Column({ type: 'text', array: true, nullable: true })
  models!: string[] | null;

  /** Addresses and ranges in the form of `normaliseAddressRange`; null is everywhere. */
  @Column({ type: 'text', array: true, name: 'allowed_addresses', nullable: true })
  allowedAddresses!: string[] | null;

  @Column({ type: 'boolean', default: false })
  strict!: boolean;

  /** Deleted by itself once it has ended. */
  @Column({ type: 'boolean', default: false })
  temporary!: boolean;

  /** What operators set, which others do not lift. */
  @Column({ type: 'jsonb', name: 'operator_fields', default: {} })
  operatorFields!: OperatorFields;

  @Column({ type: 'int', default: 1 })
  revision!: number;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}
