/** DI token of the secret that the payment provider signs with. */
export const WEBHOOK_SECRET = Symbol('WEBHOOK_SECRET');
