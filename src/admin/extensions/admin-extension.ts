/**
 * What a team's module adds to the admin UI. The script defines the custom elements and exports the functions that are
 * named here; it is fetched when the first of them is needed.
 */
export interface AdminExtension {
  /**
   * The address of a script module below `/_/extensions/`, where the policy of the UI allows scripts and where a
   * controller of the team's serves it: `/_/extensions/clinic.js`. Whoever knows the address can read it.
   */
  readonly script: string;
  readonly fieldTypes?: readonly AdminFieldType[];
  readonly pages?: readonly AdminPage[];
  readonly actions?: readonly AdminAction[];
}

/** How values of a registered field type are edited and shown. */
export interface AdminFieldType {
  /** The `type` of the field type. */
  readonly type: string;
  /** Offers the type under this name to whoever adds a field; without it fields of it are made in code only. */
  readonly label?: string;
  /** The custom element that edits a value in the record's panel; without it the type is edited as JSON. */
  readonly input?: string;
  /** The custom element that shows a value in a list; without it a list shows the value as text. */
  readonly cell?: string;
}

/** A page with an entry in the navigation. */
export interface AdminPage {
  /** Its place in the address, `#/pages/<path>`: lower-case letters, digits and hyphens. */
  readonly path: string;
  readonly title: string;
  /** The custom element that is the page. */
  readonly element: string;
}

/** Something that can be done with selected records, and with one from its menu. */
export interface AdminAction {
  readonly label: string;
  /** The name of the function that the script exports; see AdminActionContext. */
  readonly run: string;
  /** Names or ids; without it the action stands at every collection. */
  readonly collections?: readonly string[];
  /** Asked before it runs. */
  readonly question?: string;
}

/** The look of the admin UI. Its CSS variables (`--ink`, `--surface`, `--accent`, …) reach into shadow roots too. */
export interface AdminTheme {
  readonly colorScheme: 'light' | 'dark';
  /** The accent colour of the settings, as `#rrggbb`. */
  readonly accent: string;
}

/**
 * The properties that every custom element is given before it is connected, and again when they change. `Client` is the
 * official SDK's, signed in as the superuser.
 */
export interface AdminElementContext<Client = unknown> {
  client: Client;
  theme: AdminTheme;
}

/** What an element that shows a value is given besides. */
export interface AdminCellContext<Client = unknown> extends AdminElementContext<Client> {
  collection: { readonly id: string; readonly name: string };
  /** The definition of the field, with its options. */
  field: { readonly name: string; readonly type: string; readonly [option: string]: unknown };
  value: unknown;
  /** Absent while a new record is made. */
  record?: { readonly id: string; readonly [name: string]: unknown };
}

/**
 * What an element that edits a value is given besides. It tells of a new value by
 * `this.dispatchEvent(new CustomEvent('roost-change', { detail: value }))`.
 */
export interface AdminInputContext<Client = unknown> extends AdminCellContext<Client> {
  /** What the server has refused the value for. It stands below the element; this is for its looks. */
  error?: string;
}

/**
 * What the function of an action is called with. The text that it returns, if any, is shown; what it throws is shown as
 * an error. The list is read anew after it.
 */
export interface AdminActionContext<Client = unknown> extends AdminElementContext<Client> {
  collection: { readonly id: string; readonly name: string };
  ids: readonly string[];
}
