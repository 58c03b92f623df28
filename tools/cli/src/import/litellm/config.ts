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
    max_parallel_requests: z.int().positive().optional(),
    organization: z.string().optional(),
    extra_headers: z.record(z.string(), z.string()).nullish(),
    tpm: z.int().positive().optional(),
  }),
  model_info: z.looseObject({}).nullish(),
});
export type Deployment = z.infer<typeof deployment>;

const fallbacks = z.array(z.record(z.string(), z.array(z.string()))).nullish();
const allFallbacks = {
  fallbacks,
  default_fallbacks: z.array(z.string()).nullish(),
  context_window_fallbacks: fallbacks,
  content_policy_fallbacks: fallbacks,
};
/** Another name for a model: the model's, or with whether lists show it. */
const alias = z.union([
  z.string(),
  z.looseObject({ model: z.string(), hidden: z.boolean().optional() }).transform(({ model }) => model),
]);

/** What is read of LiteLLM's config.yaml; the rest of it has nothing like it here. */
export const liteLlmConfig = z.looseObject({
  model_list: z.array(deployment),
  /** Set before anything is read: what `os.environ/NAME` stands for where nobody else says so. */
  environment_variables: z.record(z.string(), z.coerce.string()).nullish(),
  router_settings: z
    .looseObject({ ...allFallbacks, model_group_alias: z.record(z.string(), alias).nullish() })
    .nullish(),
  litellm_settings: z.looseObject(allFallbacks).nullish(),
});
export type LiteLlmConfig = z.infer<typeof liteLlmConfig>;
