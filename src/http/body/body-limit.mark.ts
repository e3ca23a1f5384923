/** Metadata key of the BodyLimit class of a route. */
export const BODY_LIMIT = 'roost:body-limit';
