import { Reflector } from '@nestjs/core';

/**
 * What is opened of the data before a command runs:
 *
 * - `nothing`: it needs none, or opens it itself once it knows that there is none yet;
 * - `lock`: its place in the directory alone, because what is in it may be unusable;
 * - `shared`: everything, beside whatever serves it;
 * - `exclusive`: everything, and nobody else may have it (OPS-175), unless the data are elsewhere (OPS-177);
 * - `serving`: as `exclusive`, with what comes before the first request.
 */
export type Opening = 'nothing' | 'lock' | 'shared' | 'exclusive' | 'serving';

/** On the class of a command. Without it a command is `shared`. */
export const Opens = Reflector.createDecorator<Opening>();

/**
 * On the class of a command that works on data that are there. Where there are none it is refused, and makes none: a
 * mistyped directory would give an empty backup.
 */
export const NeedsData = Reflector.createDecorator<void>({ transform: () => true });
