import { drawBase64 } from '@tollgate/simulator/drawing';

const byTokens = {
  operations: ['draw'],
  prices: { input: 5_000_000, input_image: 8_000_000, output: 10_000_000, output_image: 30_000_000 },
};
export const byImage = {
  operations: ['draw'],
  prices: { input: 0, output: 0 },
  unit_prices: { images: 40_000_000_000 },
};
const perToken = { per_million: { input: '5', image_input: '8', output: '10', image_output: '30' } };
const perImage = { per_million: {}, per_thousand: { image: '40' } };
const openai = { protocols: ['openai-chat'] };
const google = { protocols: ['gemini'] };
export const DRAWING_MODELS = {
  'gpt-image-2': { model: byTokens, upstream: openai, atVendor: perToken },
  painter: { model: byImage, upstream: openai, atVendor: perImage },
  imagen: { model: byImage, upstream: google, atVendor: perImage },
  gemini: { model: byTokens, upstream: google, atVendor: perToken },
};
export type DrawingModel = keyof typeof DRAWING_MODELS;

/** Others answer addresses where nobody asks for base64. */
export const askForBase64 = (name: DrawingModel): object =>
  name === 'painter' ? { response_format: 'b64_json' } : {};

/** What the simulator draws of a prompt. */
export const drawAsSimulator = (prompt: string, index: number, image_bytes = 512): string =>
  drawBase64(prompt, index, { image_bytes });
