import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { RecordModel } from '../kernel/records/record-model.js';
import type { RoostRequest } from './roost-request.js';

/** The authenticated record, or null for a guest. */
export const CurrentAuth = createParamDecorator(
  (_data: unknown, context: ExecutionContext): RecordModel | null =>
    context.switchToHttp().getRequest<RoostRequest>().caller.auth,
);
