/** What the OpenAPI document says of the API as a whole. */
export interface ApiInfo {
  /** 'Roost' when absent. */
  readonly title?: string;
  /** That of Roost when absent. */
  readonly version?: string;
  readonly description?: string;
}

export const API_INFO = Symbol('API_INFO');
