import type { JsonObject } from '../../json.ts';

export interface RerankRequest {
  readonly query: string;
  readonly documents: readonly string[];
  readonly topN: number | undefined;
  /** The client wants the documents back with their scores. */
  readonly returnsDocuments: boolean;
  /** As Cohere says it; others cut long documents as they like. */
  readonly maxTokensPerDocument: number | undefined;
}

interface RankedDocument {
  readonly index: number;
  readonly score: number;
}

/** The best first. */
export interface RerankAnswer {
  readonly id: string | undefined;
  readonly results: readonly RankedDocument[];
  /** What it says of its usage, for clients that speak its words. */
  readonly meta: JsonObject | undefined;
}

/** Undefined where an answer does not rank documents of its request, each of them once. */
export function readResults(
  results: readonly unknown[],
  scoreName: 'relevance_score' | 'score',
  { documents }: RerankRequest,
): RankedDocument[] | undefined {
  const seen = new Set<number>();
  const ranked: RankedDocument[] = [];
  for (const result of results) {
    const { index, [scoreName]: score } = (result ?? {}) as Record<string, unknown>;
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= documents.length)
      return undefined;
    if (typeof score !== 'number' || seen.has(index)) return undefined;
    seen.add(index);
    ranked.push({ index, score });
  }
  return results.length > 0 ? ranked : undefined;
}
