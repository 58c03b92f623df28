import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../answer.ts';
import type { Format, StreamEvent } from '../formats/format.ts';
import type { Json } from '../question.ts';
import type { Refusal } from '../rules/rule.ts';

/** How a cloud carries the format of a vendor; what is left out is as the vendor's own. */
export interface CloudDoor {
  /** Who asks, as scripts and bills name it. */
  readonly account: string;
  /** The body as the vendor would have got it. @throws Refused where the cloud refuses it. */
  readonly unwrap?: (body: Json) => Json;
  readonly whole?: (whole: Json) => object;
  readonly events?: (events: readonly StreamEvent[]) => readonly StreamEvent[];
  /** What the vendor's rules look for in headers, where it stands elsewhere. */
  readonly vendorHeaders?: (body: Json) => Readonly<Record<string, string>>;
  /** Bytes of an event, by its JSON text, where the stream is no text. */
  readonly frame?: (event: StreamEvent, json: string) => Buffer;
  readonly count?: (tokens: number) => object;
  readonly errorHeaders?: (status: number) => Readonly<Record<string, string>>;
  readonly error?: (status: number, message: string, refusal?: Refusal) => object;
  readonly headers?: Readonly<Record<string, string>>;
  /** What an answer is told beside its body. */
  readonly answerHeaders?: (answer: Answer) => Readonly<Record<string, string>>;
}

/** What is asked for, and how. */
export interface Target {
  readonly format: Format;
  /** Where the path names it. */
  readonly model: string | undefined;
  readonly mode: 'generate' | 'stream' | 'count';
  /** Gemini without `alt=sse` streams a JSON array. */
  readonly array: boolean;
  readonly door?: CloudDoor;
}

/** Answers a request at a door. */
export type Serve = (request: FastifyRequest, reply: FastifyReply, target: Target) => Promise<unknown>;

/** Answers a method of a Gemini model that is no conversation; undefined for all others. */
export type ServeMethod = (
  request: FastifyRequest,
  reply: FastifyReply,
  account: string,
) => Promise<unknown> | undefined;
