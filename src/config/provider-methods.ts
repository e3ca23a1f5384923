import { Injectable, Logger } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { StartError } from './start.error.js';

type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];
type Method = (...args: never[]) => unknown;

/** A marked method and the instance to call it on; `label` names it in messages: `ShopHooks.slugify`. */
export interface ProviderMethod {
  readonly instance: object;
  readonly method: Method;
  readonly label: string;
}

/** Finds the methods that decorators marked, in the order in which modules are imported. */
@Injectable()
export class ProviderMethods {
  private readonly logger = new Logger('Modules');

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /**
   * The methods of all providers and controllers that have one of these metadata keys. When two modules provide a class
   * there are two instances; its methods are found once, in the first. Throws a StartError for a provider without a
   * single instance, whose methods could not be called (EXT-38). `what` names the methods in the plural.
   */
  marked(keys: readonly (string | symbol)[], what: string): ProviderMethod[] {
    const instances = new Set<unknown>();
    const classes = new Set<unknown>();
    return [...this.discovery.getProviders(), ...this.discovery.getControllers()].flatMap((wrapper) => {
      const prototype = prototypeOf(wrapper);
      const names = prototype ? this.markedNames(prototype, keys) : [];
      if (names.length === 0 || instances.has(wrapper.instance)) return [];
      requireAdvisoryLocks(wrapper, names[0]!, what);
      const instance = wrapper.instance as Record<string, Method>;
      const { name } = instance.constructor;
      instances.add(instance);
      if (wrapper.token === instance.constructor) {
        if (classes.has(wrapper.token)) {
          this.logger.warn(`${name} is a provider of two modules: its ${what} run once, in the first of them.`);
          return [];
        }
        classes.add(wrapper.token);
      }
      return names.map((method) => ({ instance, method: instance[method]!, label: `${name}.${method}` }));
    });
  }

  private markedNames(prototype: object, keys: readonly (string | symbol)[]): string[] {
    return this.scanner.getAllMethodNames(prototype).filter((name) => {
      const method = (prototype as Record<string, unknown>)[name];
      return typeof method === 'function' && keys.some((key) => Reflect.hasMetadata(key, method));
    });
  }
}

/** What the methods are methods of: the class of a provider, or of what a factory made. */
function prototypeOf(wrapper: Wrapper): object | undefined {
  const instance: unknown = wrapper.instance;
  if (typeof instance === 'object' && instance !== null) {
    return (Object.getPrototypeOf(instance) as object | null) ?? undefined;
  }
  if (typeof wrapper.metatype !== 'function') return undefined;
  return (wrapper.metatype.prototype as object | undefined) ?? undefined;
}

function requireAdvisoryLocks(wrapper: Wrapper, method: string, what: string): void {
  if (wrapper.isDependencyTreeStatic() && !wrapper.isTransient) return;
  const scope = wrapper.isTransient ? 'transient' : 'request-scoped, or depends on a provider that is';
  throw new StartError(
    `${wrapper.name}.${method} can never run: ${wrapper.name} is ${scope}, and ${what} need one instance.`,
  );
}
