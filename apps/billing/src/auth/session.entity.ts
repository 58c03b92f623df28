import { Column, Entity, PrimaryColumn } from 'typeorm';

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
}
