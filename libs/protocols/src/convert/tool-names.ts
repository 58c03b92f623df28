import { createHash } from 'node:crypto';
import type { Tool } from '../neutral/request.ts';

/** What names an upstream takes. */
export interface NameRule {
  readonly pattern: RegExp;
  /** What the first character must be, where that is told apart. */
  readonly first?: RegExp;
  readonly maxLength: number;
  /** Whether the upstream knows namespaces and free-form tools, or they are made into plain functions. */
  readonly namespaces: boolean;
}

interface ToolName {
  readonly name: string;
  readonly namespace?: string;
  readonly custom: boolean;
}

/** Names of tools there and back: an upstream calls a tool by the name it was given, the client by its own. */
export interface ToolNames {
  toUpstream(name: string, namespace?: string): string;
  /** An upstream that invents a tool is answered with the name it invented. */
  fromUpstream(name: string): ToolName;
}

/** Names without a change, for pairs where nothing has to be renamed. */
export const PLAIN_NAMES: ToolNames = {
  toUpstream: (name) => name,
  fromUpstream: (name) => ({ name, custom: false }),
};

/**
 * Gives every tool a name that the upstream takes: `namespace__name`, other characters replaced, too long ones cut and
 * told apart by a hash. Two tools never get the same name.
 */
export function createToolNames(tools: readonly Tool[], rule: NameRule): ToolNames {
  const there = new Map<string, string>();
  const back = new Map<string, ToolName>();
  const key = (name: string, namespace?: string) => JSON.stringify([namespace ?? null, name]);

  function add(name: string, namespace: string | undefined, custom: boolean): string {
    const whole = namespace === undefined || rule.namespaces ? name : `${namespace}__${name}`;
    const taken = (candidate: string) => {
      const other = back.get(candidate);
      if (other === undefined) return false;
      return other.name !== name || (!rule.namespaces && other.namespace !== namespace);
    };
    let fitting = fit(whole, rule);
    for (let tries = 0; taken(fitting); tries += 1)
      fitting = cut(fitting, shortHash(`${key(name, namespace)}${tries}`), rule);
    there.set(key(name, namespace), fitting);
    // An upstream that knows namespaces says itself in which one a tool is.
    const kept = namespace === undefined || rule.namespaces ? {} : { namespace };
    back.set(fitting, { name, ...kept, custom });
    return fitting;
  }

  for (const tool of tools) add(tool.name, tool.namespace, tool.kind === 'custom');
  return {
    // A call of an earlier turn may name a tool that is not offered any more.
    toUpstream: (name, namespace) => there.get(key(name, namespace)) ?? add(name, namespace, false),
    fromUpstream: (name) => back.get(name) ?? { name, custom: false },
  };
}

function fit(name: string, rule: NameRule): string {
  const { pattern, first = pattern, maxLength } = rule;
  const clean = [...name].map((character) => (pattern.test(character) ? character : '_')).join('');
  const begun = first.test(clean.charAt(0)) ? clean : `_${clean}`;
  return begun.length <= maxLength ? begun : cut(begun, shortHash(name), rule);
}

const cut = (name: string, hash: string, { maxLength }: NameRule): string =>
  `${name.slice(0, maxLength - hash.length - 1)}_${hash}`;

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
