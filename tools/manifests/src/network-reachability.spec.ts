import { type Labels, type Manifest } from './manifest.ts';
import { mayBeReached, mayReach } from './network-reachability.ts';
import { everySet } from './render.ts';

let sets: ReadonlyMap<string, readonly Manifest[]>;
beforeAll(async () => {
  sets = await everySet();
}, 180_000);

const service = (name: string): Labels => ({
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/part-of': 'tollgate',
});
const POSTGRES: Labels = { ...service('postgres'), 'tollgate/role': 'postgres' };
const REDIS: Labels = { ...service('redis'), 'tollgate/role': 'redis' };
const INGRESS = { namespace: { 'tollgate/ingress': 'true' } };
const MONITORING = { namespace: { 'tollgate/monitoring': 'true' } };
const ANY_NAMESPACE = { namespace: { 'kubernetes.io/metadata.name': 'default' } };

describe.each(['overlays/local', 'overlays/production', 'overlays/keda', 'overlays/without-operators'])(
  '%s',
  (name) => {
    const documents = () => sets.get(name) ?? [];
    const withMigrations = () => [...documents(), ...(sets.get('migrations') ?? [])];
    const passes = (from: Labels, to: Labels, port: number) =>
      mayReach(documents(), from, { pod: to }, port) && mayBeReached(documents(), to, { pod: from }, port);

    test.each([
      ['gateway', 'billing', 4101],
      ['gateway', 'billing', 4102],
      ['gateway', 'pricing', 4201],
      ['gateway', 'pricing', 4202],
      ['billing', 'pricing', 4202],
      ['pricing', 'billing', 4102],
    ])('%s reaches %s at port %d', (from, to, port) => {
      expect(passes(service(from), service(to), port)).toBe(true);
    });

    test.each([
      ['billing', 'gateway', 3000],
      ['pricing', 'gateway', 3000],
      ['billing', 'pricing', 4201],
      ['pricing', 'billing', 4101],
      ['migrate', 'billing', 4102],
      ['simulator', 'billing', 4102],
      ['stranger', 'pricing', 4202],
    ])('%s does not reach %s at port %d', (from, to, port) => {
      expect(passes(service(from), service(to), port)).toBe(false);
    });

    test.each(['billing', 'pricing', 'migrate'])('%s may go to PostgreSQL', (from) => {
      expect(mayReach(withMigrations(), service(from), { pod: POSTGRES }, 5432)).toBe(true);
    });

    test('the gateway may not go to PostgreSQL, wherever that is', () => {
      expect(mayReach(documents(), service('gateway'), { pod: POSTGRES }, 5432)).toBe(false);
      expect(mayReach(documents(), service('gateway'), { address: '10.20.0.5' }, 5432)).toBe(false);
      expect(mayReach(documents(), service('gateway'), { address: '93.184.215.14' }, 5432)).toBe(false);
    });

    test.each(['gateway', 'billing', 'pricing'])('%s may go to Redis', (from) => {
      expect(mayReach(documents(), service(from), { pod: REDIS }, 6379)).toBe(true);
    });

    test.each(['93.184.215.14', '2606:4700::6810:84e5'])('the gateway reaches upstreams at %s', (address) => {
      expect(mayReach(documents(), service('gateway'), { address }, 443)).toBe(true);
    });

    test.each([
      '10.0.0.1',
      '100.64.0.1',
      '127.0.0.1',
      '169.254.169.254',
      '172.16.0.1',
      '192.168.1.1',
      '224.0.0.1',
      '255.255.255.255',
      'fd00:ec2::254',
      'fe80::1',
      '::1',
    ])('the gateway does not reach %s', (address) => {
      expect(mayReach(documents(), service('gateway'), { address }, 443)).toBe(false);
      expect(mayReach(documents(), service('gateway'), { address }, 80)).toBe(false);
    });

    test('pricing reaches no address outside of the cluster', () => {
      expect(mayReach(documents(), service('pricing'), { address: '93.184.215.14' }, 443)).toBe(false);
    });

    test('of the services only the gateway is reached from the ingress', () => {
      const ports = { gateway: [3000], billing: [4101, 4102], pricing: [4201, 4202] };
      const reached = Object.entries(ports).flatMap(([to, numbers]) =>
        numbers.filter((port) => mayBeReached(documents(), service(to), INGRESS, port)),
      );
      expect(reached).toEqual([3000]);
    });

    test('Prometheus reads every service, and reaches no TCP listener', () => {
      expect(mayBeReached(documents(), service('gateway'), MONITORING, 3000)).toBe(true);
      expect(mayBeReached(documents(), service('billing'), MONITORING, 4101)).toBe(true);
      expect(mayBeReached(documents(), service('pricing'), MONITORING, 4201)).toBe(true);
      expect(mayBeReached(documents(), service('billing'), MONITORING, 4102)).toBe(false);
      expect(mayBeReached(documents(), service('pricing'), MONITORING, 4202)).toBe(false);
    });

    test('the doctor of the examples reaches what it looks at, inside of the cluster and outside', () => {
      const all = [...documents(), ...(sets.get('examples/doctor.yaml') ?? [])];
      const doctor = service('doctor');
      const gateway = service('gateway');
      expect(mayReach(all, doctor, { pod: gateway }, 3000)).toBe(true);
      expect(mayBeReached(all, gateway, { pod: doctor }, 3000)).toBe(true);
      expect(mayBeReached(documents(), gateway, { pod: doctor }, 3000)).toBe(name === 'overlays/local');
      const isOutside = name === 'overlays/without-operators';
      const [postgres, redis] = isOutside
        ? [{ address: '10.20.0.5' }, { address: '10.20.1.5' }]
        : [{ pod: POSTGRES }, { pod: REDIS }];
      expect(mayReach(all, doctor, postgres, 5432)).toBe(true);
      expect(mayReach(all, doctor, redis, 6379)).toBe(true);
    });

    test.each([
      ['billing', 4101],
      ['billing', 4102],
      ['pricing', 4201],
      ['pricing', 4202],
    ])('a namespace without a label does not reach %s at port %d', (to, port) => {
      expect(mayBeReached(documents(), service(to), ANY_NAMESPACE, port)).toBe(false);
    });
  },
);

test.each([
  ['redis.yaml', { 'app.kubernetes.io/name': 'redis' }, 6379],
  ['cloud-native-pg.yaml', { 'cnpg.io/cluster': 'postgres' }, 5432],
] as const)('the server of %s lets the doctor in, and no other namespace', (example, server, port) => {
  const documents = sets.get(`examples/${example}`) ?? [];
  expect(mayBeReached(documents, server, { pod: service('doctor') }, port)).toBe(true);
  expect(mayBeReached(documents, server, { pod: service('stranger') }, port)).toBe(false);
  expect(mayBeReached(documents, server, ANY_NAMESPACE, port)).toBe(false);
});
