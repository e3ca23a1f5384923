import { ApiError, type ErrorBody } from '../../kernel/errors/api-error.js';

/** 401: another method is needed to complete the sign-in. The one error whose body is `{ mfaId }` alone (AUTH-703). */
export class MfaRequiredError extends ApiError {
  constructor(readonly mfaId: string) {
    super(401, 'A second way of signing in is needed.');
  }

  override toBody(): ErrorBody {
    return { mfaId: this.mfaId } as unknown as ErrorBody;
  }
}
