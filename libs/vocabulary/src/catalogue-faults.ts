/**
 * What a catalogue may say that cannot be meant, by a code. Services tell it in these words, behind the place where it stands; who
 * reads another language is told by the code, which is found by the words.
 */
export const CATALOGUE_FAULTS = {
  stands_twice: '"{{name}}" stands there twice',
  no_vendor: 'there is no vendor "{{name}}"',
  no_model: 'there is no model "{{name}}"',
  no_group: 'there is no group "{{name}}"',
  no_upstream: 'there is no upstream "{{name}}"',
  name_of_auto_groups: 'this name stands for the groups of auto_groups',
  no_upstream_with_tag: 'no upstream has the tag "{{name}}"',
  stands_in_for_itself: 'a model cannot stand in for itself',
  not_of_group: 'the group may not use the model "{{name}}"',
  group_twice: 'a group stands there twice',
  tiers_must_rise: 'above_input_tokens must rise from each tier to the next',
  no_unit_price: 'it is to be priced, but unit_prices.{{unit}} says no price',
  no_drawing_model: 'it is to be priced, but image_models names no model of the catalogue that draws',
  no_service_tier: 'it is to be priced, but service_tiers names no tier',
  no_fast_ratio: 'it is to be priced, but service_tiers.fast says no ratio',
  no_region: 'it is to be priced, but regions names none',
  never_priced: 'it cannot be priced; leave it unpriced, or make it free',
  discounts_apart: 'all discounts of an account must stand together',
  discount_never_holds: 'an earlier discount holds for "{{name}}" already',
  set_by_gateway: '"{{name}}" is set by the gateway',
  left_to_caller: '"{{name}}" is left to the caller',
  written_otherwise: '"generation_config" is written generationConfig',
  asked_by_callers:
    '"{{name}}" is held and billed by what callers ask for; sell it as a feature of the model',
  goes_on_unwatched:
    '"{{name}}" would make answers go on after requests that nobody looks after: it is held and billed by what callers ask for; sell it as a feature of the model',
  other_models_answer: '"{{name}}" would have other models answer than the one that is billed',
  shows_what_is_of_others: '"{{name}}" would show all callers, and have them pay for, what is kept of others',
  content_of_caller: '"{{name}}" is the caller\'s own, and what is held is worked out from it',
  not_its_protocol: '"{{name}}" is none of its protocols',
  needs_secret_or_ambient: 'the auth "{{kind}}" needs a credential; its secret may be the word ambient',
  needs_secret: 'the auth "{{kind}}" needs a credential',
  external_id_without_role: 'says who assumes a role, but auth.role_arn names none',
  address_not_allowed: '{{why}}; private ones need allow_private_addresses',
} as const;
export type CatalogueFault = keyof typeof CATALOGUE_FAULTS;

type Values = Readonly<Record<string, string>>;

/** A fault in words. */
export const sayFault = (place: string, fault: CatalogueFault, values: Values = {}): string =>
  `${place}: ${CATALOGUE_FAULTS[fault].replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')}`;

const FORMS = Object.entries(CATALOGUE_FAULTS).map(([fault, words]) => ({
  fault: fault as CatalogueFault,
  form: new RegExp(
    `^(?<place>\\S+): ${words.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\{(\w+)\}\}/g, '(?<$1>.+?)')}$`,
    'u',
  ),
}));

interface SaidFault {
  readonly place: string;
  readonly fault: CatalogueFault;
  readonly values: Values;
}

/** What such words say; undefined of others. */
export function readFault(text: string): SaidFault | undefined {
  for (const { fault, form } of FORMS) {
    const { place, ...values } = form.exec(text)?.groups ?? {};
    if (place !== undefined) return { place, fault, values };
  }
  return undefined;
}
