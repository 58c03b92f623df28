// Proves: no route lets anybody do or see what their role and account may not, whatever id they name; nobody gets an
// error of ours (5xx), and nothing of the victim stands in any answer.
import { randomUUID } from 'node:crypto';
import { listOperations, SERVICES } from '@tollgate/api';
import { type HostileArea, type HostileCase, must } from '../area.ts';
import { addPerson, type HostileRole, type HostileStack } from '../hostile-stack.ts';
import type { Got } from '../send.ts';
import { isForFinance, isForMembers, isPublic, type Route } from './route-rules.ts';

interface DescribedRoute extends Route {
  readonly query: readonly string[];
  readonly type: string | undefined;
  readonly example: unknown;
}

/** Every route that the services describe: a new one is in it by itself. */
const ROUTES: readonly DescribedRoute[] = Object.values(SERVICES)
  .flatMap(({ resources }) => listOperations(resources))
  .map(([, { method, path, query, body, bodyType = 'application/json' }]) => ({
    method,
    path,
    query: Object.keys(query?.shape ?? {}),
    type: body && bodyType,
    example: ((body?.meta()?.examples ?? []) as readonly unknown[])[0],
  }));

/** What a role is told where it may not; a body that is refused first tells nothing either. */
const REFUSED = [401, 403, 404];
const isHarmless = ({ status }: Got): boolean => status < 500 || status === 503;

interface Actor {
  readonly name: string;
  /** Nobody is signed in where there is none. */
  readonly role?: HostileRole;
  readonly may: (route: Route) => boolean;
  /** Ids of the victim in the path, or of nobody. */
  readonly ids: 'victim' | 'nobody';
  /** The victim's account in the query of routes that take one. */
  readonly asksForVictim?: boolean;
  /** What is sent to what the actor may do: nothing must come of it. */
  readonly body: 'example' | 'hostile';
}

const ACTORS: readonly Actor[] = [
  { name: 'nobody', may: isPublic, ids: 'victim', body: 'example' },
  {
    name: 'a member with ids of another account',
    role: 'member',
    may: isForMembers,
    ids: 'victim',
    body: 'example',
  },
  {
    name: 'a member who asks for another account',
    role: 'member',
    may: isForMembers,
    ids: 'victim',
    asksForVictim: true,
    body: 'hostile',
  },
  {
    name: 'finance',
    role: 'finance',
    may: isForFinance,
    ids: 'nobody',
    body: 'hostile',
  },
  {
    name: 'an admin who sends what nobody knows',
    role: 'admin',
    may: () => true,
    ids: 'nobody',
    body: 'hostile',
  },
];

/** Fields that nobody may set, and such as change objects where code is careless. */
const HOSTILE_BODY =
  '{"__proto__":{"role":"owner"},"constructor":{"prototype":{"role":"owner"}},"role":"owner","hostile":true}';

function pathFor({ path }: Route, { victim }: HostileStack, ids: Actor['ids']): string {
  const ofVictim: Readonly<Record<string, string>> = path.startsWith('/api/keys')
    ? { id: victim.key.id }
    : { id: victim.accountId, user: victim.personId, invite: victim.inviteId, account: victim.accountId };
  const others: Readonly<Record<string, string>> = {
    month: '2026-10',
    number: '1',
    version: '1',
    a: '1',
    b: '2',
    name: 'hostile',
    section: 'models',
    credential: 'hostile',
    account_id: victim.accountId,
  };
  return path.replace(
    /:(\w+)/g,
    (_all, name: string) => (ids === 'victim' ? ofVictim[name] : undefined) ?? others[name] ?? randomUUID(),
  );
}

function caseOf(at: HostileStack, actor: Actor, route: DescribedRoute): HostileCase {
  return {
    name: `${actor.name}: ${route.method} ${route.path}`,
    async run() {
      const may = actor.may(route);
      const hasBody = route.type !== undefined || route.method === 'POST';
      const isCsv = route.type === 'text/csv';
      const example = isCsv ? String(route.example) : JSON.stringify(route.example ?? {});
      const query = new URLSearchParams();
      if (actor.asksForVictim && route.query.includes('account_id'))
        query.set('account_id', at.victim.accountId);
      const search = query.size > 0 ? `?${query.toString()}` : '';
      const session = await sessionFor(at, actor, route);
      // A change that the actor may make goes out so that nothing comes of it.
      const body = may && actor.body === 'hostile' ? HOSTILE_BODY : example;
      const got = await at.send(`${pathFor(route, at, actor.ids)}${search}`, {
        method: route.method,
        headers: {
          ...(session ? { cookie: session } : {}),
          ...(hasBody ? { 'content-type': route.type ?? 'application/json' } : {}),
          'idempotency-key': randomUUID(),
        },
        ...(hasBody ? { body } : {}),
      });
      const said = () => `${got.status} ${got.text.slice(0, 200)}`;
      must(isHarmless(got), said);
      must(got.headers['x-content-type-options'] === 'nosniff', () => 'a browser may guess what it is');
      const isPublicPrice = route.path.startsWith('/api/pricing') && got.status < 400;
      const cached = String(got.headers['cache-control']);
      must(isPublicPrice || cached.includes('no-store'), () => `it may be kept: ${cached}`);
      if (!may) must(actor.role ? REFUSED.includes(got.status) : got.status === 401, said);
      if (may && route.type && actor.body === 'hostile') must(got.status >= 400, said);
      const isOperator = actor.may({ method: 'GET', path: '/api/accounts' });
      if (!isOperator) for (const mark of at.victim.marks) must(!got.text.includes(mark), said);
    },
  };
}

/** One who signs out, or ends the own sessions, does so with one that nobody else needs. */
async function sessionFor(
  at: HostileStack,
  { role }: Actor,
  { path }: DescribedRoute,
): Promise<string | undefined> {
  if (role === undefined) return undefined;
  if (!/\/api\/auth\/(?:login|logout|sessions|password|oidc\/start)/.test(path))
    return at.people[role].cookie;
  return (await addPerson(at.at, at.accountId, role)).cookie;
}

export const routes: HostileArea = {
  name: 'callers/routes',
  proves: 'no role does or sees on any route what it may not, whatever ids it names',
  cases: (at) => ACTORS.flatMap((actor) => ROUTES.map((route) => caseOf(at, actor, route))),
};
