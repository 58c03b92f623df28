import type { HttpException } from '@nestjs/common';
import { type FieldFault, findFieldRule, type RefusalCode } from '@tollgate/vocabulary';
import type { z } from 'zod';
import { toHttpException } from './http-errors.ts';

type Values = Readonly<Record<string, string | number>>;
type Issue = z.core.$ZodIssue;

/** The refusal of a request for the first that is wrong with it; `param` is the path of the field. */
export function refuseField(issue: Issue | undefined, status: 400 | 404): HttpException {
  const path = issue?.path.map(String).join('.') ?? '';
  const message = issue?.message ?? 'This is wrong';
  if (status === 404) return toHttpException(404, message, path || null, 'not_found');
  const [code, values] = describe(issue);
  return toHttpException(
    400,
    path === '' ? `${message}.` : `${path}: ${message}.`,
    path || null,
    code,
    values,
  );
}

function describe(issue: Issue | undefined): readonly [code: RefusalCode, values: Values | undefined] {
  if (!issue) return ['field_wrong', undefined];
  return [findFieldRule(issue.message) ?? findFault(issue), findValues(issue)];
}

/** By what the limit is of. */
const TOO_SMALL: Readonly<Record<string, FieldFault>> = {
  string: 'field_too_short',
  array: 'field_lacks_entries',
};
const TOO_GREAT: Readonly<Record<string, FieldFault>> = {
  string: 'field_too_long',
  array: 'field_has_more_entries',
};

function findFault(issue: Issue): FieldFault {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'field_missing' : 'field_of_another_kind';
    case 'too_small':
      return TOO_SMALL[issue.origin] ?? 'field_too_small';
    case 'too_big':
      return TOO_GREAT[issue.origin] ?? 'field_too_great';
    case 'invalid_format':
      return 'field_of_another_form';
    case 'invalid_value':
      return 'field_not_offered';
    case 'unrecognized_keys':
      return 'field_unknown';
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'invalid_union':
    case 'not_multiple_of':
      return 'field_wrong';
  }
}

function findValues(issue: Issue): Values | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return { kind: issue.expected };
    case 'too_small':
      return { min: String(issue.minimum) };
    case 'too_big':
      return { max: String(issue.maximum) };
    case 'invalid_format':
      return { form: issue.format };
    case 'invalid_value':
      return { offered: issue.values.map(String).join(', ') };
    case 'unrecognized_keys':
      return { names: issue.keys.join(', ') };
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'invalid_union':
    case 'not_multiple_of':
      return undefined;
  }
}
