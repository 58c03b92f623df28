import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { Failure } from '../../failure.ts';
import type { Deployment, LiteLlmConfig } from './config.ts';

/** LiteLLM's own map of what models cost, by their names. */
type PriceMap = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
const priceMap = z.record(z.string(), z.looseObject({}));

/** What a price list is made of. */
const OF_PRICES = /cost|price|pricing|^mode$|^provider_specific_entry$/;

/** @throws Failure when the file is no such map. */
export function readPriceMap(path: string): PriceMap {
  try {
    return priceMap.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new Failure(
      `${path} is no map of prices: ${(error as Error).message}`,
      'It is the model_prices_and_context_window.json of the LiteLLM that you come from.',
    );
  }
}

/** The names under which LiteLLM looks a deployment up, the first of them that is known first. */
function namesOf({ litellm_params: params, model_info }: Deployment): string[] {
  const { model, custom_llm_provider: provider } = params;
  const base = model_info?.['base_model'] ?? params['base_model'];
  const rest = model.slice(model.indexOf('/') + 1);
  return [
    ...(typeof base === 'string' ? [base] : []),
    ...(typeof provider === 'string' ? [`${provider}/${model}`] : []),
    model,
    rest,
    // A region, a route or a way to speak to it in front of the name.
    rest.slice(rest.lastIndexOf('/') + 1),
  ];
}

/** The configuration with what the map says of each deployment; what the file itself says comes before it. */
export function withPriceMap(config: LiteLlmConfig, map: PriceMap): LiteLlmConfig {
  return {
    ...config,
    model_list: config.model_list.map((each) => {
      const found = namesOf(each).find((name) => Object.hasOwn(map, name));
      const prices = Object.entries((found !== undefined && map[found]) || {}).filter(([field]) =>
        OF_PRICES.test(field),
      );
      return { ...each, model_info: { ...Object.fromEntries(prices), ...each.model_info } };
    }),
  };
}
