import { Injectable, Optional, ValidationPipe, type ValidationPipeOptions } from '@nestjs/common';
import { ValidationError } from '../../kernel/errors/validation.error.js';
import { toFieldErrors } from './dto-errors.js';

/**
 * Nest's ValidationPipe for the bodies of a team's routes: `@CurrentBody('values', DtoPipe) input: OrderDto` is an
 * instance of the class, checked by its decorators. Throws a ValidationError that names every wrong value; properties
 * without a decorator are dropped. The options are those of Nest's pipe.
 */
@Injectable()
export class DtoPipe extends ValidationPipe {
  constructor(@Optional() options: ValidationPipeOptions = {}) {
    super({
      transform: true,
      whitelist: true,
      // Nest's own decorators see no body here, because it is read late.
      validateCustomDecorators: true,
      exceptionFactory: (errors) => new ValidationError(toFieldErrors(errors)),
      ...options,
    });
  }
}
