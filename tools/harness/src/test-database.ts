import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { copyDatabase, serviceAddress, toDatabaseUrl } from './postgres.ts';

type Service = 'billing' | 'pricing';

export interface TestDatabase {
  /** As superuser: what owns the schema, and what a test looks with. */
  readonly url: string;
  /** As the role of a service, which its migration makes. */
  serviceUrl(service: Service): string;
  drop(): Promise<void>;
}

/** Prepared with the roles of services, a copy is theirs as well. */
interface Prepare {
  (url: string, serviceUrl: TestDatabase['serviceUrl']): Promise<void>;
  /** What the database has been through before that: it begins as a copy of one that has. */
  after?: Prepare;
}

const newName = (what: string): string => `${what}_${randomBytes(6).toString('hex')}`;

/** Roles are the server's: databases that were prepared in this worker have the same ones. They end with the server. */
const WORKER = newName('worker');
/** The names of databases that were prepared in this worker. */
const prepared = new Map<Prepare, Promise<string>>();

/** What this worker makes and drops databases over: to connect costs as much as either. */
let connection: Promise<pg.Client> | undefined;

async function connect(server: string): Promise<pg.Client> {
  const client = new pg.Client(server);
  client.on('error', () => {});
  client.on('end', () => (connection = undefined));
  await client.connect();
  return client;
}

async function prepareDatabase(server: string, prepare: Prepare): Promise<string> {
  const name = newName('prepared');
  const before = prepare.after && (await findPrepared(server, prepare.after));
  await copyDatabase(await (connection ??= connect(server)), name, before);
  const url = toDatabaseUrl(server, name);
  await prepare(url, (service) => serviceAddress(url, `${WORKER}_${service}`, 'test'));
  return name;
}

function findPrepared(server: string, prepare: Prepare): Promise<string> {
  const known = prepared.get(prepare) ?? prepareDatabase(server, prepare);
  prepared.set(prepare, known);
  return known;
}

/**
 * A fresh database in the test run's server.
 *
 * @param prepare what is done to it first. It is done once, and copied from then on.
 */
export async function createTestDatabase(prepare?: Prepare): Promise<TestDatabase> {
  const server = process.env['TEST_DATABASE_URL'];
  if (!server)
    throw new Error(
      'TEST_DATABASE_URL is not set: run the tests through Jest, whose global set-up starts a server',
    );
  const name = newName('test');
  const template = prepare && (await findPrepared(server, prepare));
  await copyDatabase(await (connection ??= connect(server)), name, template);
  const url = toDatabaseUrl(server, name);
  const toRole = (service: Service): string => `${prepare ? WORKER : name}_${service}`;
  return {
    url,
    serviceUrl: (service) => serviceAddress(url, toRole(service), 'test'),
    async drop() {
      const client = await (connection ??= connect(server));
      await client.query(`DROP DATABASE IF EXISTS ${client.escapeIdentifier(name)} WITH (FORCE)`);
      const services = prepare ? [] : (['billing', 'pricing'] as const);
      for (const service of services)
        await client.query(`DROP ROLE IF EXISTS ${client.escapeIdentifier(toRole(service))}`);
    },
  };
}
