/** The tokens of all accounts of a collection are worth nothing any more. */
export class TokensRevoked {
  constructor(readonly collectionId: string) {}
}
