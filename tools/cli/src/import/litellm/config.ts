import { z } from 'zod';

/** One of LiteLLM's deployments: an upstream with one model. */
const deployment = z.looseObject({
  model_name: z.string().min(1),
  litellm_params: z.looseObject({
    model: z.string().min(1),
    api_base: z.string().optional(),
    api_key: z.string().optional(),
    weight: z.number().nonnegative().optional(),
    order: z.int().optional(),
    rpm: z.int().positive().optional(),
    tpm: z.int().positive().optional(),
  }),
  model_info: z.looseObject({}).nullish(),
});
export type Deployment = z.infer<typeof deployment>;

const fallbacks = z.array(z.record(z.string(), z.array(z.string()))).nullish();

/** What is read of LiteLLM's config.yaml; the rest of it has nothing like it here. */
export const liteLlmConfig = z.looseObject({
  model_list: z.array(deployment),
  router_settings: z.looseObject({ fallbacks }).nullish(),
  litellm_settings: z.looseObject({ fallbacks }).nullish(),
});
export type LiteLlmConfig = z.infer<typeof liteLlmConfig>;
