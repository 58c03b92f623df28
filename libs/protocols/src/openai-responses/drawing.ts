import { findOwn } from '@tollgate/vocabulary';
import type { CostRules, DrawingModel, OfferedTool } from '../costs/costs.ts';
import { isObject, type JsonObject, someTextAt, textAt } from '../json.ts';

/**
 * So many pixels are the side of a square that one token draws, by quality; each row has one token more. That gives the
 * vendor's own table: 1024x1024 is 272, 1,056 and 4,160 tokens, 1024x1536 408, 1,584 and 6,240, 1536x1024 400, 1,568 and 6,208.
 * For the two qualities above it nobody has published a number: each halves the side, as the others do.
 */
const SQUARE: Readonly<Record<string, number>> = { low: 64, medium: 32, high: 16, xhigh: 8, max: 4 };
/** What is drawn at most where the size and the quality are left to the vendor. */
const DEAREST = { width: 1_024, height: 1_536, square: 16 };
/** The vendor takes none with a longer side. */
const MAX_SIDE = 3_840;
/** What one that is shown before it is ready costs. */
const PARTIAL = 100;
const MAX_PARTIALS = 3;
/** What a model that draws may write in words beside a picture. */
const WORDS = 1_000;

/** A prompt has no more characters, nor more tokens; and so many pictures go in with it at most, each of so many tokens. */
const PROMPT = 32_000;
const PICTURES = 16;
const PICTURE = 7_000;

/** Pictures that are held for where the request does not say how often tools may run. */
const IMAGES_UNSTATED = 4;
/** More is not held, whatever a request says. */
const IMAGES_MAX = 1_000;

/** The most that the tool for pictures costs: each call draws one, and reads those that were drawn before it. */
export const boundDrawing: NonNullable<CostRules['boundDrawing']> = (body, tool, { model, calls }) => {
  const images = Math.floor(Math.min(IMAGES_MAX, Math.max(0, calls ?? IMAGES_UNSTATED)));
  const outputOfImage = maxImageTokens(toolAt(body, tool), model);
  const pictures = countPictures(body);
  let input = 0;
  for (let drawn = 0; drawn < images; drawn += 1) {
    const read = PROMPT + PICTURE * Math.min(PICTURES, pictures + drawn);
    input += Math.min(read, model.maxInput ?? read);
  }
  return { model: model.name, images, input, output: images * outputOfImage, outputOfImage };
};

const toolAt = (body: JsonObject, { path }: OfferedTool): unknown =>
  path.reduce<unknown>(
    (value, key) => (Array.isArray(value) || isObject(value) ? (value as JsonObject)[key] : undefined),
    body,
  );

/** What the catalogue says a picture has at most counts where the request leaves something open. */
function maxImageTokens(tool: unknown, { maxOutput }: DrawingModel): number {
  const { tokens, isExact, beside } = boundImageOutput(tool);
  return (isExact ? Math.min(tokens, maxOutput ?? tokens) : (maxOutput ?? tokens)) + beside;
}

/**
 * The most tokens that one picture is drawn with, by the size and the quality that are asked for; it is not exact where the
 * vendor chooses one of them. `beside` it stand those that are shown before it is ready, and words.
 */
export function boundImageOutput(asked: unknown): {
  readonly tokens: number;
  readonly isExact: boolean;
  readonly beside: number;
} {
  const square = findOwn(SQUARE, textAt(asked, 'quality'));
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(textAt(asked, 'size')) ?? [];
  const tokens = tokensOf(
    Math.min(MAX_SIDE, Number(width ?? DEAREST.width)),
    Math.min(MAX_SIDE, Number(height ?? DEAREST.height)),
    square ?? DEAREST.square,
  );
  const partials = isObject(asked) ? Number(asked['partial_images'] ?? 0) : 0;
  const isExact = square !== undefined && width !== undefined;
  return { tokens, isExact, beside: PARTIAL * Math.min(MAX_PARTIALS, Math.max(0, partials) || 0) + WORDS };
}

const tokensOf = (width: number, height: number, square: number): number =>
  Math.ceil(height / square) * (Math.ceil(width / square) + 1);

const KEPT = ['previous_response_id', 'conversation', 'prompt'];

/** Pictures that a request brings; as many as there may be where it points at what the vendor keeps. */
function countPictures(body: JsonObject): number {
  if (KEPT.some((name) => body[name] !== undefined && body[name] !== null)) return PICTURES;
  return countIn(body['input']);
}

function countIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + countIn(each), 0);
  if (!isObject(value)) return 0;
  const type = someTextAt(value, 'type');
  if (type === 'item_reference') return PICTURES;
  if (type === 'input_image' || type === 'image_generation_call') return 1;
  return countIn(value['content']) + countIn(value['output']);
}
