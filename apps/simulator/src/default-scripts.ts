import type { Script } from './script.ts';

/** Whom a default script is for; everybody when it names nothing. */
export interface ScriptScope {
  readonly credential?: string;
  readonly model?: string;
}

export interface DefaultScripts {
  set(scope: ScriptScope, script: Script): void;
  clear(): void;
  /** What holds for a request: the model's script over everybody's, and the credential's over both. */
  of(request: ScriptScope): Script;
}

export function createDefaultScripts(): DefaultScripts {
  const scripts = new Map<string, Script>();
  const keyOf = ({ credential, model }: ScriptScope): string => {
    if (credential !== undefined) return `credential ${credential}`;
    return model === undefined ? '' : `model ${model}`;
  };
  return {
    set: (scope, script) => void scripts.set(keyOf(scope), script),
    clear: () => scripts.clear(),
    of: ({ credential, model }) => ({
      ...scripts.get(''),
      ...(model === undefined ? {} : scripts.get(keyOf({ model }))),
      ...(credential === undefined ? {} : scripts.get(keyOf({ credential }))),
    }),
  };
}
