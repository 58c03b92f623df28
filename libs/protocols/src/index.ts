export { findExceptionStatus } from './bedrock-converse/errors.ts';
export type { BilledExtras } from './billed-extras.ts';
export type { RawUsage, RequestSummary } from './codec.ts';
export {
  assembleAnswer,
  convertAnswer,
  type ConvertedAnswer,
  replayAnswer,
  upstreamErrorMessage,
} from './convert/convert-answer.ts';
export type { AnswerKeeping } from './convert/conversion.ts';
export {
  answerContext,
  type AnswerPlan,
  type ConversionRequest,
  convertRequest,
} from './convert/convert-request.ts';
export { createStreamConverter } from './convert/convert-stream.ts';
export { FEATURES, type FieldRule, type Support } from './neutral/features.ts';
export { createStateWrapper, type StateWrapper } from './convert/reasoning-state.ts';
export { PLAIN_NAMES } from './convert/tool-names.ts';
export { isContextTooLong } from './context-length.ts';
export { boundExtras, type ExtrasBound } from './costs/bound-extras.ts';
export type { DrawingBound, ServedFeatures } from './costs/costs.ts';
export { curbCosts } from './costs/curb-costs.ts';
export { decodeRequest } from './decode-request.ts';
export { adaptFields } from './dialects/adapt-fields.ts';
export type { Dialect } from './dialects/dialect.ts';
export { findDialect } from './dialects/find-dialect.ts';
export { type Failure, failureError } from './failure.ts';
export { findRefused } from './refusal.ts';
export { isObject, isTooDeep, type JsonObject, parseJson } from './json.ts';
export { limitOutput } from './limit-output.ts';
export type { ListedModel } from './model-list.ts';
export { FINISH_REASONS, type FinishReason } from './neutral/answer.ts';
export { partOfResponseId, responseId } from './openai-responses/kept/kept-ids.ts';
export {
  expandInput,
  inputItems,
  type KeptAnswer,
  type KeptQuestion,
} from './openai-responses/kept/kept-items.ts';
export { readOutput, type ExplicitOutput } from './output-fields.ts';
export type { StreamFraming, TaskForm, UpstreamAction } from './protocol.ts';
export {
  bindRequest,
  bindStates,
  type BoundRequest,
  refusesStates,
  withoutStates,
} from './reasoning/bound-states.ts';
export { holdsMark, type StateCollector } from './reasoning/state-rules.ts';
export { CODECS } from './registry.ts';
export {
  ERROR_KINDS,
  relayError,
  type RelayError,
  type RelayErrorKind,
  findErrorStatus,
  UNREADABLE_ANSWER,
} from './relay-error.ts';
export { keepAlive, renderError, renderStreamError } from './render-error.ts';
export { readRealtimeUsage, readTranscriptionUsage } from './realtime/usage.ts';
export { createResponseRewriter, type ResponseRewriter, type RewriteOptions } from './rewriter.ts';
export { readStored, type StoredState } from './stored/read-stored.ts';
export { createStoredIds, placeId, type StoredIds } from './stored/stored-ids.ts';
export { createAnswerWrapper, type WrapAnswer } from './stored/wrap-answer.ts';
export { createEventSplitter, type EventSplitter } from './stream/event-splitter.ts';
export { createJsonArraySplitter } from './stream/json-array-splitter.ts';
export { createJsonSkim } from './stream/skim-json.ts';
export { createSseSplitter, type SseRecord } from './stream/sse-splitter.ts';
export { createFrameReader, EVENT_STREAM_TYPE, type ReadFrame } from './stream/frames-to-events.ts';
export { duplicateMember, surveyJson } from './survey-json.ts';
export { findTaskClient } from './tasks/decode-task.ts';
export { isAskedForPredictions } from './tasks/embed/vertex.ts';
export { findAnswerRules, findTaskFormat, findTaskUpstream, TASK_CODECS } from './tasks/registry.ts';
export type { AnswerRules, TaskAnswer } from './tasks/task-codec.ts';
export {
  addDefaultHeaders,
  changeBodyFields,
  encodeUpstreamBody,
  joinUpstreamUrl,
  overrideBodyFields,
  upstreamPath,
} from './upstream-request.ts';
export { BETA_CLOUDS, BETA_RULES } from './wrapping/betas.ts';
export { findWrapping } from './wrapping/find-wrapping.ts';
export type { Wrapping } from './wrapping/wrapping.ts';
