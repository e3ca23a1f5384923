import { ApiError } from './api-error.js';

/** 416: the part that was asked for is not in the file. */
export class RangeNotSatisfiableError extends ApiError {
  constructor(private readonly size: number) {
    super(416, 'The requested range is not in the file.');
  }

  override get headers(): Readonly<Record<string, string>> {
    return { 'content-range': `bytes */${this.size}` };
  }
}
