import { RequestMethod } from '@nestjs/common';
// The entry that the other packages of Nest import these names from; no public one has them.
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/internal';
import { MetadataScanner, type ModulesContainer } from '@nestjs/core';
import type { FastifyInstance, RouteOptions } from 'fastify';

/**
 * Refuses a route that another one has already, and names both. Nest compares paths as they are written, the router
 * by what they match: `/posts/:id` and `/posts/:key` are one to it, and it names nobody.
 */
export class RouteCollisions {
  private readonly taken = new Set<string>();
  private modules: ModulesContainer | undefined;

  constructor(fastify: FastifyInstance) {
    fastify.addHook('onRoute', (route) => {
      // Fastify adds the routes for HEAD itself, where there is none.
      for (const method of [route.method].flat()) if (method !== 'HEAD') this.take(method, route);
    });
  }

  /** Sets the modules whose controllers are searched for the owner of a route. */
  watch(modules: ModulesContainer): void {
    this.modules = modules;
  }

  private take(method: string, { url, constraints }: RouteOptions): void {
    const key = `${method} ${shapeOf(url)} ${JSON.stringify(constraints ?? {})}`;
    if (!this.taken.has(key)) {
      this.taken.add(key);
      return;
    }
    const owners = this.owners(method, url);
    const all = owners.length > 1 ? owners : [...owners, 'a route registered with Fastify'];
    throw new Error(`${method} ${url} is a route of ${all.join(' and of ')}. Give one of them another path.`);
  }

  private owners(method: string, url: string): string[] {
    const scanner = new MetadataScanner();
    const wrappers = [...(this.modules?.values() ?? [])].flatMap((module) => [...module.controllers.values()]);
    const owners = wrappers.flatMap(({ metatype }) => {
      if (typeof metatype !== 'function') return [];
      const prototype = metatype.prototype as Record<string, object>;
      return scanner
        .getAllMethodNames(prototype)
        .filter((name) => routesOf(metatype, prototype[name]!).some((route) => isRoute(route, method, url)))
        .map((name) => `${metatype.name}#${name}`);
    });
    return [...new Set(owners)];
  }
}

interface DeclaredRoute {
  readonly method: string;
  readonly path: string;
}

function routesOf(controller: object, handler: object): DeclaredRoute[] {
  const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
  if (method === undefined) return [];
  const paths = (target: object) => [(Reflect.getMetadata(PATH_METADATA, target) as string | string[]) ?? ''].flat();
  return paths(controller).flatMap((prefix) =>
    paths(handler).map((path) => ({ method: RequestMethod[method], path: `/${prefix}/${path}` })),
  );
}

/** A global prefix or a version may stand before what the decorators say. */
function isRoute({ method, path }: DeclaredRoute, wanted: string, url: string): boolean {
  return (method === wanted || method === 'ALL') && shapeOf(url).endsWith(shapeOf(path));
}

/** The path without the names of its parameters, and without slashes that do not count. */
function shapeOf(path: string): string {
  return `/${path}`
    .replace(/:\w+/g, ':')
    .replace(/\*\w+/g, '*')
    .replace(/\/+/g, '/')
    .replace(/(.)\/$/, '$1');
}
