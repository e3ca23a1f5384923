// What the simulation runs of the application itself.
export { Outbox } from '../../../src/events/outbox.js';
export { StreamInterest } from '../../../src/events/stream-interest.js';
export { ClusterLink } from '../../../src/instances/cluster-link.js';
export { KnownDefinitions } from '../../../src/database/postgres/known-definitions.js';
