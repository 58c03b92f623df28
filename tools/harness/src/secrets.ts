import { randomBytes } from 'node:crypto';

/** What one deployment keeps to itself. */
export interface StackSecrets {
  readonly seal_key: string;
  readonly session_secret: string;
  /** What its services prove to each other. */
  readonly service_secret: string;
  /** Of the superuser, who migrates. */
  readonly postgres_password: string;
  /** Of the roles that the services connect as. */
  readonly service_database_password: string;
  readonly redis_password: string;
}

export const newStackSecrets = (): StackSecrets => ({
  seal_key: randomBytes(32).toString('base64'),
  session_secret: randomBytes(32).toString('hex'),
  service_secret: randomBytes(32).toString('hex'),
  postgres_password: randomBytes(16).toString('hex'),
  service_database_password: randomBytes(16).toString('hex'),
  redis_password: randomBytes(16).toString('hex'),
});

/** What services under test, and the tests that ask them, prove to each other. */
export const TEST_SERVICE_SECRET = 'services-of-one-test-know-each-other';
/** How long a test waits for the answer of a service: on a machine that does ten things at once, two seconds are soon over. */
export const TEST_ANSWER_MS = 20_000;
