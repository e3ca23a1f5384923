/** One refused value: an exact `validation_…` code, a sentence for people, and the parameters of that sentence. */
export interface FieldError {
  readonly code: string;
  readonly message: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Field errors nested like the object they belong to: by property name, list items by decimal index. */
export interface FieldErrors {
  readonly [key: string]: FieldError | FieldErrors;
}

/** Tells a leaf from a branch of a tree of field errors. */
export function isFieldError(value: FieldError | FieldErrors | undefined): value is FieldError {
  return typeof value?.code === 'string' && typeof value.message === 'string';
}
