import { databaseUrl } from '@tollgate/platform';
import { loadConfig, runScript } from '@tollgate/platform/process';
import { z } from 'zod';
import { findByEmail } from './accounts/users.service.ts';
import { audit } from './audit-log/audit.ts';
import { createDataSource } from './database/data-source.ts';
import { resetFactors } from './factors/reset-factors.ts';

// For whoever runs the service, when the last owner has lost their second factor: `node reset-factors.js <e-mail>`.
const [email] = process.argv.slice(2);
if (email === undefined) {
  process.stderr.write('Name the e-mail address of the person: node reset-factors.js owner@example.com\n');
  process.exit(1);
}
await runScript('billing reset-factors', async () => {
  const config = loadConfig(z.object({ DATABASE_URL: databaseUrl }));
  const database = await createDataSource(config.DATABASE_URL).initialize();
  const before = await database.transaction(async (manager) => {
    const user = await findByEmail(manager, email);
    if (!user) return undefined;
    const had = await resetFactors(manager, user.id);
    await audit(manager, {
      action: 'factor.reset',
      object: `user ${user.id}`,
      accountId: user.accountId,
      actor: { email: 'operator' },
      before: had,
    });
    return had;
  });
  await database.destroy();
  if (!before) {
    process.stderr.write(`Nobody here has the e-mail address ${email}.\n`);
    process.exit(1);
  }
  return (
    `${email} had ${before.totp ? 'an authenticator app' : 'no authenticator app'} and ${before.passkeys} passkeys. ` +
    'All are gone, and all sessions have ended; the password is the one from before.'
  );
});
