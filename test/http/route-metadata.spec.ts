import type { ExecutionContext } from '@nestjs/common';
import { expect, it, vi } from 'vitest';
import { RouteMetadata } from '../../src/http/request/route-metadata.js';

class Shared {
  list(): void {}
  view(): void {}
}
class Posts extends Shared {}
class Pages extends Shared {}

const contextOf = (controller: typeof Shared, method: 'list' | 'view' = 'list'): ExecutionContext =>
  ({ getClass: () => controller, getHandler: () => controller.prototype[method] }) as never;

it('tells the controllers that share a handler apart, and reads the decorators of each once', () => {
  const find = vi.fn(([, controller]: [unknown, { readonly name: string }]) =>
    controller === Pages ? null : controller.name,
  );
  const metadata = new RouteMetadata(find);
  for (let round = 0; round < 3; round++) {
    expect([Posts, Pages, Shared].map((controller) => metadata.of(contextOf(controller)))).toEqual([
      'Posts',
      null,
      'Shared',
    ]);
  }
  expect(find).toHaveBeenCalledTimes(3);
});

it('tells the handlers of a controller apart', () => {
  const metadata = new RouteMetadata(([{ name }]) => name);
  for (const method of ['list', 'list', 'view', 'list'] as const)
    expect(metadata.of(contextOf(Posts, method))).toBe(method);
});
