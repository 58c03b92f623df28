import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A console session, found by the hash of its id: whoever reads the table cannot take a session over. */
@Entity({ schema: 'billing', name: 'session' })
export class SessionEntity {
  @PrimaryColumn({ type: 'text', name: 'id_hash' })
  idHash!: string;

  @Column({ type: 'uuid', name: 'user_id', nullable: true })
  userId!: string | null;

  @Column({ type: 'jsonb' })
  data!: object;

  @Column({ type: 'timestamptz', name: 'expires_at' })
  expiresAt!: Date;

  /** What it is called in lists; it opens nothing. */
  @Column({ type: 'uuid', default: () => 'gen_random_uuid()' })
  id!: string;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'last_seen_at', default: () => 'now()' })
  lastSeenAt!: Date;

  /** Of the browser that it was begun with. */
  @Column({ type: 'text', name: 'user_agent', default: '' })
  userAgent!: string;

  /** Where it was last seen. */
  @Column({ type: 'text', default: '' })
  address!: string;
}
