import {
  computeUpstreamCost,
  listOperations,
  type Model,
  type Pool,
  type PoolMember,
} from '@tollgate/catalogue';
import {
  CODECS,
  type Dialect,
  findDialect,
  findTaskFormat,
  TASK_CODECS,
  type TaskForm,
} from '@tollgate/protocols';
import {
  CLIENT_PROTOCOLS,
  type ClientProtocol,
  findOwn,
  type Protocol,
  PROTOCOLS,
  type Task,
  TASK_FORMATS,
  type TaskFormat,
  TASKS,
} from '@tollgate/vocabulary';
import type { Member } from '../balance/member.ts';
import type { HealthRegistry } from '../health/registry.ts';
import type { Target } from '../health/target.ts';
import type { PoolTraffic } from './pool-traffic.ts';
import type { OpenCredential, UpstreamClient } from './upstream-client.ts';

/** What a pool says of the requests that it serves. */
export interface PoolRules extends Pick<Pool, 'name' | 'strategy' | 'attempts' | 'hedge'> {
  readonly traffic: PoolTraffic;
}

/** One upstream, with one of its credentials, that can serve a model over a protocol. */
export interface Candidate extends Member {
  readonly pool: PoolRules;
  readonly client: UpstreamClient;
  readonly credential: OpenCredential;
  readonly target: Target;
  /** The wire format that it is spoken to in: the caller's where it knows that, else the one nearest to it. */
  readonly protocol: Protocol;
  /** In place of a conversation; keys, and where paths are stated, go by the protocol all the same. */
  readonly task?: TaskForm;
  /** The model's name at this upstream. */
  readonly upstreamModel: string;
  /** What that model takes there. */
  readonly dialect: Dialect;
}

export interface CandidateParts {
  readonly clients: ReadonlyMap<string, UpstreamClient>;
  readonly health: HealthRegistry;
  readonly traffic: (pool: Pool) => PoolTraffic;
}

/** For each format of a caller the formats in which upstreams may be asked, best first. */
const NEAREST = new Map(
  CLIENT_PROTOCOLS.map((callers) => [
    callers,
    new Set<Protocol>([callers, ...CODECS[callers].nearest, ...PROTOCOLS]),
  ]),
);

/** A model, and the pool that serves it. */
interface ServedModel {
  readonly pool: Pool;
  readonly model: Model;
  /** Only upstreams with all of these serve it. */
  readonly requiredTags: readonly string[];
  readonly parts: CandidateParts;
}

/** Who of a pool can serve conversations with a model, by the caller's protocol. */
export function findCandidates(served: ServedModel): Map<ClientProtocol, readonly Candidate[]> {
  if (!listOperations(served.model).includes('generate')) return new Map();
  return byCaller(CLIENT_PROTOCOLS, served, (callers, { upstream: { protocols } }) => {
    const protocol = [...(NEAREST.get(callers) ?? [])].find((each) => protocols.includes(each));
    return protocol && { protocol };
  });
}

/** Who of a pool takes the tasks that a model is for, by the format of the caller. */
export function findTaskCandidates(
  served: ServedModel,
): Map<Task, ReadonlyMap<TaskFormat, readonly Candidate[]>> {
  const operations = listOperations(served.model);
  const tasks = TASKS.filter((task) => operations.includes(task)).map((task) => {
    const formats = TASK_FORMATS[task].filter((format) => TASK_CODECS[task].clients[format]);
    return [
      task,
      byCaller(
        formats,
        served,
        (callers, { upstream: { protocols, task_formats: stated } }, upstreamModel) => {
          const found = findTaskFormat({ task, format: callers }, protocols, stated?.[task], upstreamModel);
          return found && { protocol: found.protocol, task: { task, format: found.format } };
        },
      ),
    ] as const;
  });
  return new Map(tasks.filter(([, byFormat]) => byFormat.size > 0));
}

/** Who of a pool opens sessions with a model: those who speak a format of OpenAI, whose interface it is. */
export function findRealtimeCandidates(served: ServedModel): readonly Candidate[] {
  if (!listOperations(served.model).includes('realtime')) return [];
  const found = byCaller(['openai-chat'], served, (_caller, { upstream: { protocols } }) => {
    const protocol = protocols.find((each) => each === 'openai-responses' || each === 'openai-chat');
    return protocol && { protocol };
  });
  return found.get('openai-chat') ?? [];
}

/** How an upstream is spoken to. */
type Spoken = Pick<Candidate, 'protocol' | 'task'>;

function byCaller<Caller extends string>(
  callers: readonly Caller[],
  { pool, model, requiredTags, parts }: ServedModel,
  speak: (caller: Caller, client: UpstreamClient, upstreamModel: string) => Spoken | undefined,
): Map<Caller, readonly Candidate[]> {
  const rules: PoolRules = {
    name: pool.name,
    strategy: pool.strategy,
    attempts: pool.attempts,
    hedge: pool.hedge,
    traffic: parts.traffic(pool),
  };
  const found = callers.map((caller): [Caller, Candidate[]] => [
    caller,
    pool.members.flatMap((member) => {
      const client = parts.clients.get(member.upstream);
      const tagged = requiredTags.every((tag) => client?.upstream.tags.includes(tag));
      const mayServe = client !== undefined && !client.upstream.disabled && tagged;
      const spoken = mayServe ? speak(caller, client, nameAt(member, model)) : undefined;
      return client && spoken
        ? membersCandidates({ rules, member, model, client, health: parts.health }, spoken)
        : [];
    }),
  ]);
  return new Map(found.filter(([, candidates]) => candidates.length > 0));
}

/** A member of a pool that may serve a model. */
interface ServingMember {
  readonly rules: PoolRules;
  readonly member: PoolMember;
  readonly model: Model;
  readonly client: UpstreamClient;
  readonly health: HealthRegistry;
}

/** One for each of its credentials. */
function membersCandidates(
  { rules, member, model, client, health }: ServingMember,
  { protocol, task }: Spoken,
): Candidate[] {
  const weights = client.credentials.reduce((sum, { weight }) => sum + weight, 0);
  const cost = computeUpstreamCost(TYPICAL, model, client.upstream, member);
  const upstreamModel = nameAt(member, model);
  const stated = { ...model.dialect, max_output_tokens: model.max_output_tokens };
  const dialect = findDialect(protocol, upstreamModel, stated, client.upstream.dialects?.[protocol]);
  return client.credentials.flatMap((credential): Candidate[] => {
    const target = health.target(credential.targetId);
    if (!target) return [];
    return [
      {
        id: target.id,
        pool: rules,
        client,
        credential,
        target,
        load: target,
        protocol,
        ...(task ? { task } : {}),
        upstreamModel,
        dialect,
        priority: member.priority,
        weight: (member.weight * credential.weight) / weights,
        costPerRequest: cost === null ? undefined : Number(cost),
      },
    ];
  });
}

const nameAt = ({ model_map }: PoolMember, { name }: Model): string => findOwn(model_map, name) ?? name;

/** Upstreams are compared by what they would charge for this much, whatever a request really is. */
const TYPICAL = { counts: { input: 3_000, output: 1_000 } };
