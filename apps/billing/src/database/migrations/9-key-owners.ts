import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose a key is: of those before, whoever of its account made it, as the audit log says. */
export class KeyOwners1764800000000 implements MigrationInterface {
  name = 'KeyOwners1764800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- A person of its account, who may be gone meanwhile: nobody else gets the key by that. Null is the account's own key.
      ALTER TABLE billing.api_key ADD owner_id uuid;
      CREATE INDEX api_key_by_name ON billing.api_key (account_id, lower(name), id) WHERE deleted_at IS NULL;

      UPDATE billing.api_key key SET owner_id = entry.actor_id
      FROM billing.audit_log entry JOIN billing.app_user person ON person.id = entry.actor_id
      WHERE entry.action = 'key.create' AND entry.object = 'key ' || key.id AND person.account_id = key.account_id;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Whose keys are would be forgotten: restore a backup.');
  }
}
