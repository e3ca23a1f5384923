import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Caller } from '../../kernel/records/caller.js';
import { callerOf } from './caller-of.js';
import { untouchedParameter } from './untouched-parameter.js';
import type { RecordModel } from '../../kernel/records/record-model.js';

/**
 * Who acts, and through which request: what services take as `as`. Outside of HTTP as `callerOf` says, the guest when
 * nobody knows.
 */
export const CurrentCaller = untouchedParameter(
  createParamDecorator((_data: unknown, context: ExecutionContext): Caller => callerOf(context)),
);

/** The authenticated record, or null for a guest. */
export const CurrentAuth = untouchedParameter(
  createParamDecorator((_data: unknown, context: ExecutionContext): RecordModel | null => callerOf(context).auth),
);
