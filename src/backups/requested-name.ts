import { BadRequestError } from '../kernel/errors/bad-request.error.js';

/** The name a body asks for; '' when it leaves that open. Throws 400 when it is no text. */
export function requestedName(values: Readonly<Record<string, unknown>>): string {
  const { name = '' } = values;
  if (name !== null && typeof name !== 'string') throw new BadRequestError('The name must be a text.');
  return name ?? '';
}
