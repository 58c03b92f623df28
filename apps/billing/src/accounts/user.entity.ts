import type { Session } from '@tollgate/contracts';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A person who signs in to the console. */
@Entity({ schema: 'billing', name: 'app_user' })
export class UserEntity {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ type: 'uuid', name: 'account_id' })
  accountId!: string;

  @Column({ type: 'text' })
  email!: string;

  /** The name that they chose; empty where they did not say. */
  @Column({ type: 'text', default: '' })
  name!: string;

  /** Null for who signs in elsewhere only. */
  @Column({ type: 'text', name: 'password_hash', nullable: true })
  passwordHash!: string | null;

  @Column({ type: 'text' })
  role!: Session['role'];

  @Column({ type: 'text', default: 'active' })
  status!: 'active' | 'disabled';

  /** Who they are at the provider that they sign in with; both or neither. */
  @Column({ type: 'text', name: 'oidc_issuer', nullable: true })
  oidcIssuer!: string | null;

  @Column({ type: 'text', name: 'oidc_subject', nullable: true })
  oidcSubject!: string | null;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;
}
