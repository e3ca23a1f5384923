/** A message of the application's own, for everybody who listens to its topic or for one client. */
export class RealtimeMessage {
  constructor(
    readonly topic: string,
    /** One line. */
    readonly data: string,
    /** Id of the only client it is for; undefined for all who listen. */
    readonly clientId?: string,
  ) {}
}
