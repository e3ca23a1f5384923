import manifest from '../../../../package.json';

/** The version of Roost this client was built with. */
export const version: string = manifest.version;
