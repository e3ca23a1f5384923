/** The JSON of an answer, or undefined when it is not that any more. */
type WrittenText = () => string | undefined;

const texts = new WeakMap<object, WrittenText>();

/**
 * Has an answer sent as the JSON that was written of it before. Interceptors and hooks get the answer all the same: what
 * they make of it instead is written as ever, and when they change the answer itself, `text` has to say so.
 */
export function asWritten<Answer extends object>(answer: Answer, text: WrittenText): Answer {
  texts.set(answer, text);
  return answer;
}

/** Was it written before? */
export function isWritten(answer: object): boolean {
  return texts.has(answer);
}

/** The JSON of an answer, written before or now. */
export function writeAnswer(answer: unknown): string {
  return texts.get(answer as object)?.() ?? JSON.stringify(answer);
}
