import { relayError, type RelayError } from '../relay-error.ts';
import { type Feature, FEATURES, type SupportTable } from './features.ts';

/** A request cannot be carried to this upstream; the error is for the caller. */
export class Refusal extends Error {
  readonly error: RelayError;

  constructor(error: RelayError) {
    super(error.message);
    this.error = error;
  }
}

/** Keeps account of what a conversion could not carry as it was. */
export interface Notes {
  readonly dropped: ReadonlySet<string>;
  readonly emulated: ReadonlySet<string>;
  /** A field asks for a feature: refuses, or notes what becomes of it. Answers whether it is carried on. */
  ask(feature: Feature, field: string): boolean;
  /** The request's field that asked for a feature; the last of several. */
  fieldOf(feature: Feature): string;
  drop(field: string): void;
  /** Drops every field that asked for a feature. */
  dropAll(feature: Feature): void;
  emulate(field: string): void;
  /** @throws Refusal */
  refuse(field: string, why: string): never;
}

/**
 * @param strict the caller wants a 400 rather than a field left out.
 * @throws Refusal from its methods.
 */
export function createNotes(support: SupportTable, model: string, strict: boolean): Notes {
  const dropped = new Set<string>();
  const emulated = new Set<string>();
  const asked = new Map<Feature, string[]>();
  const refuse = (field: string, why: string): never => {
    throw new Refusal(relayError('unsupported', `${field}: ${why}`, { param: field }));
  };
  const drop = (field: string) => {
    if (strict)
      refuse(field, `the model "${model}" does not take this, and this API key is strict about it.`);
    emulated.delete(field);
    dropped.add(field);
  };
  return {
    dropped,
    emulated,
    fieldOf: (feature) => asked.get(feature)?.at(-1) ?? feature,
    ask(feature, field) {
      const before = asked.get(feature);
      if (before) before.push(field);
      else asked.set(feature, [field]);
      switch (support[feature]) {
        case 'carried':
          return true;
        case 'emulated':
          emulated.add(field);
          return true;
        case 'dropped':
          drop(field);
          return false;
        case 'refused':
          return refuse(
            field,
            `${FEATURES[feature].toLowerCase()} cannot be carried to the model "${model}".`,
          );
      }
    },
    drop,
    dropAll: (feature) => (asked.get(feature) ?? [feature]).forEach(drop),
    emulate: (field) => void emulated.add(field),
    refuse,
  };
}
