import { Reflector } from '@nestjs/core';

/**
 * What is opened of the data before a command runs:
 *
 * - `nothing`: it needs none, or opens it itself once it knows that there is none yet;
 * - `lock`: its place in the directory alone, because what is in it may be unusable;
 * - `shared`: everything, beside whatever serves it;
 * - `existing`: as `shared`, where there is something to open;
 * - `exclusive`: everything, and nobody else may have it (OPS-175), unless the data are elsewhere (OPS-177);
 * - `serving`: as `exclusive`, with what comes before the first request.
 */
export type Opening = 'nothing' | 'lock' | 'shared' | 'existing' | 'exclusive' | 'serving';

/** On the class of a command. Without it a command is `shared`. */
export const Opens = Reflector.createDecorator<Opening>();
