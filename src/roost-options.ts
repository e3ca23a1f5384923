import type { DynamicModule, ForwardReference, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { InstanceLink } from './instances/instance-link.js';
import type { Replacement } from './config/replaceable.js';
import type { Clock } from './kernel/clock.js';
import type { ApiInfo } from './openapi/api-info.js';

/** A module of a team's own, as `@Module({ imports })` takes it. */
export type RoostImport = Type | DynamicModule | Promise<DynamicModule> | ForwardReference;

/** The options of `runRoost` and `createRoost`. */
export interface RoostOptions {
  /** Nest modules that are served beside Roost's own. */
  readonly imports?: readonly RoostImport[];
  /** Overrides by the names of the environment variables, e.g. `{ ROOST_HTTP: ':3000' }`. They win over flags. */
  readonly config?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Called with the application before it listens. */
  readonly configureApp?: (app: NestFastifyApplication) => void | Promise<void>;
  /**
   * Parts of Roost to replace, by their tokens: `FILE_STORAGE`, `MAIL_TRANSPORT`, `RATE_LIMIT_STORE`,
   * `EPHEMERAL_STORE`, `EVENT_BUS`.
   */
  readonly replace?: readonly Replacement[];
  /** Title, version and description of the OpenAPI document. */
  readonly api?: ApiInfo;
  /** What time it is; the machine's clock when absent. For tests. */
  readonly clock?: Clock;
}

/** Where the process was started; `runRoost` fills it from Node's `process`. */
export interface RoostEnvironment {
  /** Arguments without node and script. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The file that Node was started with. */
  readonly program?: string;
  /** How it reaches other processes that serve the same application; absent where there are none. */
  readonly link?: InstanceLink;
}
