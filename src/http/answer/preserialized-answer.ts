/** The JSON of an answer; undefined once the answer has been changed. */
type WrittenText = () => string | undefined;

const texts = new WeakMap<object, WrittenText>();

/**
 * An answer whose JSON exists already, from an answer cache. Interceptors and hooks can still read and change it: the
 * member `lazy` is parsed from the text on first access, and a changed answer is serialized as usual.
 */
export function preserializedAnswer<Answer extends object, Lazy extends keyof Answer>(
  text: string,
  lazy: Lazy,
  rest: Omit<Answer, Lazy>,
): Answer {
  let isSeen = false;
  let value: Answer[Lazy];
  const see = (seen: Answer[Lazy]): void => {
    value = seen;
    isSeen = true;
  };
  const answer = Object.defineProperty({}, lazy, {
    get: () => {
      if (!isSeen) see((JSON.parse(text) as Answer)[lazy]);
      return value;
    },
    set: see,
    enumerable: true,
    configurable: true,
  }) as Answer;
  Object.assign(answer, rest);
  const members = Object.entries(rest);
  const isUntouched = (): boolean =>
    !isSeen &&
    Object.keys(answer).length === members.length + 1 &&
    members.every(([name, known]) => answer[name as keyof Answer] === known);
  texts.set(answer, () => (isUntouched() ? text : undefined));
  return answer;
}

/** Whether the answer was made by `preserializedAnswer`. */
export function isPreserialized(answer: object): boolean {
  return texts.has(answer);
}

/** The JSON of an answer, written before or now. */
export function serializeAnswer(answer: unknown): string {
  return texts.get(answer as object)?.() ?? JSON.stringify(answer);
}
