import 'reflect-metadata';

/** Metadata key under which a method keeps the hooks it handles. */
export const HOOK_HANDLERS = 'roost:hook-handlers';

/** How a handler is registered. */
export interface HookOptions {
  /** Lower numbers run first; 0 when absent. Equal numbers run in the order in which modules are imported. */
  readonly order?: number;
  /**
   * True for a handler that neither refuses nor changes anything and does not depend on what the transaction has done:
   * it may be called for several records before the first of them is written, which is much faster for many.
   * `'streams'`: the same, for what is of use only while there are streams of clients; see HandlerOptions.
   */
  readonly observes?: boolean | 'streams';
}

/** The metadata of one decorator: the hook, its collections (none means all), and the order. */
export interface HookMetadata {
  readonly hook: Hook<never>;
  readonly collections: readonly string[];
  readonly order: number;
  readonly observes: boolean | 'streams';
}

/**
 * A point at which modules may act, and the decorator that marks a provider's method as a handler of it:
 * `@BeforeRecordCreate('posts', 'pages', { order: 10 })`. Collections are names or ids; none means all.
 */
export interface Hook<Event> {
  (
    ...collectionsAndOptions: readonly (string | HookOptions)[]
  ): <Method extends (event: Event) => unknown>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ) => void;
  readonly hookName: string;
}

/** Makes the decorator of a hook from its name, e.g. `BeforeRecordCreate`. */
export function createHook<Event>(name: string): Hook<Event> {
  const hook = ((...given: readonly (string | HookOptions)[]) =>
    (_target: object, _key: string | symbol, descriptor: TypedPropertyDescriptor<object>) => {
      const options = given.find((entry): entry is HookOptions => typeof entry !== 'string');
      const metadata: HookMetadata = {
        hook: hook as unknown as Hook<never>,
        collections: given.filter((entry): entry is string => typeof entry === 'string'),
        order: options?.order ?? 0,
        observes: options?.observes ?? false,
      };
      const method = descriptor.value!;
      const earlier = (Reflect.getMetadata(HOOK_HANDLERS, method) as HookMetadata[] | undefined) ?? [];
      Reflect.defineMetadata(HOOK_HANDLERS, [...earlier, metadata], method);
    }) as unknown as Hook<Event>;
  return Object.defineProperty(hook, 'hookName', { value: name }) as Hook<Event>;
}
