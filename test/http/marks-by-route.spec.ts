import type { ExecutionContext } from '@nestjs/common';
import { expect, it, vi } from 'vitest';
import { MarksByRoute } from '../../src/http/marks-by-route.js';

class Shared {
  list(): void {}
}
class Posts extends Shared {}
class Pages extends Shared {}

const contextOf = (controller: typeof Shared): ExecutionContext =>
  ({ getClass: () => controller, getHandler: () => controller.prototype.list }) as never;

it('tells the controllers that share a handler apart, and reads the decorators of each once', () => {
  const find = vi.fn(([, controller]: [unknown, { readonly name: string }]) =>
    controller === Pages ? undefined : controller.name,
  );
  const marks = new MarksByRoute(find);
  for (let round = 0; round < 3; round++) {
    expect([Posts, Pages, Shared].map((controller) => marks.of(contextOf(controller)))).toEqual([
      'Posts',
      undefined,
      'Shared',
    ]);
  }
  expect(find).toHaveBeenCalledTimes(3);
});
