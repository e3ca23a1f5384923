import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { callerOf } from './caller-of.js';
import { untouchedParameter } from './untouched-parameter.js';

/** The authenticated record, or null for a guest. */
export const CurrentAuth = untouchedParameter(
  createParamDecorator((_data: unknown, context: ExecutionContext): RecordModel | null => callerOf(context).auth),
);
