/** All tokens of the accounts of a collection were revoked. */
export class TokensRevoked {
  constructor(readonly collectionId: string) {}
}
